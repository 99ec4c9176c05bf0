//! Memory foreseen from a model's sizes, before its weights are read.

use super::architecture::Architecture;
use super::checkpoint::{Checkpoint, CheckpointError, LayerPart, Part};
use super::kv_cache::PANEL;
use super::scheme::head_scheme;
use crate::abilities::Footprint;
use candle_core::quantized::GgmlDType;

const F32: usize = size_of::<f32>();

/// What the model will need with its matrices in `target`, or each in the format it is stored in; `context` tokens of
/// context, prompts read `chunk` tokens at a time.
pub(super) fn footprint(
    checkpoint: &dyn Checkpoint,
    shape: &Architecture,
    target: Option<GgmlDType>,
    context: usize,
    chunk: usize,
) -> Result<Footprint, CheckpointError> {
    let head = target.map(|dtype| head_scheme(dtype, shape.hidden));
    let (vocabulary, hidden) = (shape.vocabulary, shape.hidden);
    let mut weights =
        matrix(checkpoint, Part::Embedding, vocabulary, hidden, if shape.tied { head } else { target })?;
    if !shape.tied {
        weights += matrix(checkpoint, Part::Head, vocabulary, hidden, head)?;
    }
    for layer in 0..shape.layers.len() {
        for (part, rows, columns) in shape.matrices() {
            weights += matrix(checkpoint, Part::Layer(layer, part), rows, columns, target)?;
        }
    }
    weights += shape.vector_elements() * F32;
    let head_cache = shape.head_dim + shape.head_dim.next_multiple_of(PANEL);
    let ropes = shape.ropes.len() * context * shape.head_dim;
    Ok(Footprint {
        weights: weights as u64,
        cache_per_token: (shape.layers.len() * shape.kv_heads * head_cache * F32) as u64,
        scratch_per_token: (shape.scratch() * F32) as u64,
        scratch_per_pair: 0,
        chunk: chunk as u64,
        fixed: ((ropes + vocabulary) * F32) as u64,
    })
}

/// Bytes of one matrix.
fn matrix(
    checkpoint: &dyn Checkpoint,
    part: Part,
    rows: usize,
    columns: usize,
    target: Option<GgmlDType>,
) -> Result<usize, CheckpointError> {
    let dtype = match target {
        Some(dtype) => dtype,
        None => checkpoint.tensor(part, rows, columns)?.dtype,
    };
    Ok(rows * columns.div_ceil(dtype.block_size()) * dtype.type_size())
}

impl Architecture {
    /// The matrices of a layer: rows and columns.
    fn matrices(&self) -> [(LayerPart, usize, usize); 7] {
        use LayerPart as P;
        let (hidden, inner) = (self.hidden, self.inner);
        let (queries, kv) = (self.query_width(), self.kv_width());
        [
            (P::Query, queries, hidden),
            (P::Key, kv, hidden),
            (P::Value, kv, hidden),
            (P::Output, hidden, queries),
            (P::Gate, inner, hidden),
            (P::Up, inner, hidden),
            (P::Down, hidden, inner),
        ]
    }

    /// Numbers in norms and biases, which stay f32.
    fn vector_elements(&self) -> usize {
        let norms = if self.norms_after { 4 } else { 2 } * self.hidden;
        let head_norms = if self.head_norms { 2 * self.head_dim } else { 0 };
        let biases = if self.qkv_bias { self.query_width() + 2 * self.kv_width() } else { 0 };
        self.hidden + self.layers.len() * (norms + head_norms + biases)
    }

    /// Numbers that stand in the decoder's buffers for each token of a pass: the residual stream, normed and projected;
    /// queries, keys and values; what was attended to; gate, up and their product.
    fn scratch(&self) -> usize {
        3 * self.hidden + 2 * self.query_width() + 2 * self.kv_width() + 3 * self.inner
    }
}
