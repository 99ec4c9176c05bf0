//! From a checkpoint to the matrices and norms of the decoder.

use super::architecture::Architecture;
use super::checkpoint::{Checkpoint, CheckpointError, LayerPart, Part};
use super::matrix::Matrix;
use super::projection::{Projection, stack};
use super::scheme::{head_scheme, name_of};
use crate::engine::shares::in_words;
use candle_core::quantized::GgmlDType;

/// All weights of a decoder, in the formats they are multiplied in.
#[derive(Debug)]
pub(super) struct Weights {
    /// One row per token of the vocabulary.
    pub(super) embedding: Matrix,
    /// The output head; `None` where the embedding table serves as it.
    head: Option<Matrix>,
    /// The layers, in order.
    pub(super) layers: Vec<LayerWeights>,
    /// The norm before the head.
    pub(super) norm: Vec<f32>,
}

/// Weights of one layer.
#[derive(Debug)]
pub(super) struct LayerWeights {
    pub(super) attention_norm: Vec<f32>,
    /// Query rows, then key rows, then value rows.
    pub(super) query_key_value: Projection,
    /// Norms of each query and each key head.
    pub(super) head_norms: Option<(Vec<f32>, Vec<f32>)>,
    pub(super) output: Projection,
    pub(super) after_attention_norm: Option<Vec<f32>>,
    pub(super) feed_forward_norm: Vec<f32>,
    /// Gate rows, then up rows.
    pub(super) gate_up: Projection,
    pub(super) down: Projection,
    pub(super) after_feed_forward_norm: Option<Vec<f32>>,
}

impl Weights {
    /// Loads a checkpoint and quantizes its matrices to `target`, or leaves each in the format it is stored in. The norms
    /// are f32.
    pub(super) fn load(
        checkpoint: &dyn Checkpoint,
        shape: &Architecture,
        target: Option<GgmlDType>,
    ) -> Result<Self, CheckpointError> {
        if let Some(dtype) = target {
            check_rows(checkpoint, shape, dtype)?;
        }
        let head_target = target.map(|dtype| head_scheme(dtype, shape.hidden));
        let table = |part, target| stack(&[checkpoint.tensor(part, shape.vocabulary, shape.hidden)?], target);
        let embedding = table(Part::Embedding, if shape.tied { head_target } else { target })?;
        let head = if shape.tied { None } else { Some(table(Part::Head, head_target)?) };
        let loader = |layer| Loader { checkpoint, shape, target, layer };
        let mut weights = Self {
            embedding,
            head,
            layers: (0..shape.layers.len()).map(|layer| loader(layer).layer()).collect::<Result<_, _>>()?,
            norm: loader(0).norm(Part::FinalNorm, shape.hidden)?,
        };
        Matrix::settle(weights.matrices_mut());
        Ok(weights)
    }

    /// The matrix that turns the last hidden state into logits.
    pub(super) fn head(&self) -> &Matrix {
        self.head.as_ref().unwrap_or(&self.embedding)
    }

    fn matrices(&self) -> impl Iterator<Item = &Matrix> {
        self.layers.iter().flat_map(LayerWeights::matrices).chain([&self.embedding]).chain(&self.head)
    }

    /// The matrices in the order in which a token meets them.
    fn matrices_mut(&mut self) -> impl Iterator<Item = &mut Matrix> {
        self.layers
            .iter_mut()
            .flat_map(LayerWeights::matrices_mut)
            .chain(&mut self.head)
            .chain([&mut self.embedding])
    }

    /// Bytes of all weights as held in memory.
    pub(super) fn bytes(&self) -> usize {
        self.matrices().map(Matrix::bytes).sum::<usize>() + self.vector_elements() * size_of::<f32>()
    }

    /// Bits per weight as held in memory, over all parameters, norms and block scales included.
    pub(super) fn bits_per_weight(&self) -> f64 {
        let elements = self.matrices().map(Matrix::elements).sum::<usize>() + self.vector_elements();
        self.bytes() as f64 * 8.0 / elements as f64
    }

    /// The formats of the layers' matrices with the share of weights in each, the largest first: `q4_k`, or
    /// `q4_k 84 % + q6_k 16 %`.
    pub(super) fn scheme(&self) -> String {
        let mut shares: Vec<(&'static str, usize)> = Vec::new();
        for matrix in self.layers.iter().flat_map(LayerWeights::matrices) {
            let name = name_of(matrix.dtype());
            match shares.iter_mut().find(|(known, _)| *known == name) {
                Some((_, elements)) => *elements += matrix.elements(),
                None => shares.push((name, matrix.elements())),
            }
        }
        in_words(shares)
    }

    fn vector_elements(&self) -> usize {
        self.norm.len() + self.layers.iter().map(LayerWeights::vector_elements).sum::<usize>()
    }
}

/// Refuses a scheme whose blocks do not divide every row, before anything is read.
fn check_rows(
    checkpoint: &dyn Checkpoint,
    shape: &Architecture,
    dtype: GgmlDType,
) -> Result<(), CheckpointError> {
    let block = dtype.block_size();
    let rows = [
        (LayerPart::Query, shape.hidden),
        (LayerPart::Output, shape.query_width()),
        (LayerPart::Down, shape.inner),
    ];
    match rows.into_iter().find(|(_, columns)| !columns.is_multiple_of(block)) {
        Some((part, columns)) => {
            let name = checkpoint.name_of(Part::Layer(0, part));
            Err(CheckpointError::Blocks { scheme: name_of(dtype), block, name, columns })
        }
        None => Ok(()),
    }
}

/// What it takes to load one layer.
struct Loader<'a> {
    checkpoint: &'a dyn Checkpoint,
    shape: &'a Architecture,
    target: Option<GgmlDType>,
    layer: usize,
}

impl Loader<'_> {
    fn layer(&self) -> Result<LayerWeights, CheckpointError> {
        use LayerPart as P;
        let shape = self.shape;
        let (hidden, inner, queries) = (shape.hidden, shape.inner, shape.query_width());
        let head_norms = if shape.head_norms {
            let norm = |part| self.norm(Part::Layer(self.layer, part), shape.head_dim);
            Some((norm(P::QueryNorm)?, norm(P::KeyNorm)?))
        } else {
            None
        };
        Ok(LayerWeights {
            attention_norm: self.norm(Part::Layer(self.layer, P::AttentionNorm), hidden)?,
            query_key_value: self.query_key_value()?,
            head_norms,
            output: self.projection(&[(P::Output, hidden)], queries)?,
            after_attention_norm: self.norm_after(P::AfterAttentionNorm)?,
            feed_forward_norm: self.norm(Part::Layer(self.layer, P::FeedForwardNorm), hidden)?,
            gate_up: self.projection(&[(P::Gate, inner), (P::Up, inner)], hidden)?,
            down: self.projection(&[(P::Down, hidden)], inner)?,
            after_feed_forward_norm: self.norm_after(P::AfterFeedForwardNorm)?,
        })
    }

    fn query_key_value(&self) -> Result<Projection, CheckpointError> {
        use LayerPart as P;
        let (queries, kv) = (self.shape.query_width(), self.shape.kv_width());
        let parts = [(P::Query, queries), (P::Key, kv), (P::Value, kv)];
        let projection = self.projection(&parts, self.shape.hidden)?;
        if !self.shape.qkv_bias {
            return Ok(projection);
        }
        let biases = [(P::QueryBias, queries), (P::KeyBias, kv), (P::ValueBias, kv)];
        projection.with_bias(self.checkpoint, &self.placed(&biases))
    }

    fn placed(&self, parts: &[(LayerPart, usize)]) -> Vec<(Part, usize)> {
        parts.iter().map(|(part, rows)| (Part::Layer(self.layer, *part), *rows)).collect()
    }

    fn projection(
        &self,
        parts: &[(LayerPart, usize)],
        columns: usize,
    ) -> Result<Projection, CheckpointError> {
        Projection::load(self.checkpoint, &self.placed(parts), columns, self.target)
    }

    fn norm(&self, part: Part, width: usize) -> Result<Vec<f32>, CheckpointError> {
        let mut norm = self.checkpoint.vector(part, width)?;
        for weight in &mut norm {
            *weight += self.shape.norm_offset;
        }
        Ok(norm)
    }

    fn norm_after(&self, part: LayerPart) -> Result<Option<Vec<f32>>, CheckpointError> {
        if !self.shape.norms_after {
            return Ok(None);
        }
        self.norm(Part::Layer(self.layer, part), self.shape.hidden).map(Some)
    }
}

impl LayerWeights {
    fn matrices_mut(&mut self) -> impl Iterator<Item = &mut Matrix> {
        let projections = [&mut self.query_key_value, &mut self.output, &mut self.gate_up, &mut self.down];
        projections.into_iter().flat_map(Projection::matrices_mut)
    }

    fn matrices(&self) -> impl Iterator<Item = &Matrix> {
        self.projections().into_iter().flat_map(Projection::matrices)
    }

    fn projections(&self) -> [&Projection; 4] {
        [&self.query_key_value, &self.output, &self.gate_up, &self.down]
    }

    fn vector_elements(&self) -> usize {
        let heads = self.head_norms.as_ref().map_or(0, |(query, key)| query.len() + key.len());
        let after = [&self.after_attention_norm, &self.after_feed_forward_norm];
        self.attention_norm.len()
            + self.feed_forward_norm.len()
            + heads
            + after.into_iter().flatten().map(Vec::len).sum::<usize>()
            + self.projections().into_iter().map(Projection::bias_elements).sum::<usize>()
    }
}
