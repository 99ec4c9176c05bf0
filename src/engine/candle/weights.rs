//! From the bytes of safetensors files to the matrices and norms of the decoder.

use super::config::ModelConfig;
use super::matrix::Matrix;
use super::scheme::{head_scheme, name_of};
use candle_core::quantized::GgmlDType;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use safetensors::{Dtype, SafeTensors};

/// All weights of a decoder, in the formats they are multiplied in.
#[derive(Debug)]
pub(super) struct Weights {
    /// One row per token of the vocabulary.
    pub(super) embedding: Matrix,
    /// The output head; `None` where the embedding table serves as it.
    pub(super) head: Option<Matrix>,
    /// The layers, in order.
    pub(super) layers: Vec<LayerWeights>,
    /// The norm before the head.
    pub(super) norm: Vec<f32>,
}

/// Weights of one layer. Matrices with the same input stand in one: rows are quantized one by one, so nothing changes
/// but the number of calls.
#[derive(Debug)]
pub(super) struct LayerWeights {
    pub(super) attention_norm: Vec<f32>,
    /// Query rows, then key rows, then value rows.
    pub(super) query_key_value: Matrix,
    pub(super) query_norm: Vec<f32>,
    pub(super) key_norm: Vec<f32>,
    pub(super) output: Matrix,
    pub(super) feed_forward_norm: Vec<f32>,
    /// Gate rows, then up rows.
    pub(super) gate_up: Matrix,
    pub(super) down: Matrix,
}

/// Why a checkpoint cannot be used; the caller knows the file.
#[derive(Debug, thiserror::Error)]
pub(super) enum WeightsError {
    /// A file is no safetensors file.
    #[error("not a readable safetensors file: {0}")]
    Unreadable(String),
    /// A tensor is missing.
    #[error("tensor `{0}` is missing")]
    Missing(String),
    /// A tensor has another shape than `config.json` says.
    #[error("tensor `{name}` has shape {found:?}, and config.json says {expected:?}")]
    Shape { name: String, found: Vec<usize>, expected: Vec<usize> },
    /// A tensor has a number format that is not read.
    #[error("tensor `{name}` is stored as {found:?}; f32, f16 and bf16 are read")]
    Stored { name: String, found: Dtype },
    /// The scheme's blocks do not divide a row.
    #[error(
        "`{scheme}` has blocks of {block} weights, and a row of `{name}` has {columns}; f32, f16 and bf16 fit any row, \
         q8_0 and q4_0 to q5_1 need a multiple of 32"
    )]
    Blocks { scheme: &'static str, block: usize, name: String, columns: usize },
    /// candle refused.
    #[error("{0}")]
    Candle(#[from] candle_core::Error),
}

/// The safetensors files of one checkpoint.
pub(super) struct Checkpoint<'data> {
    shards: Vec<SafeTensors<'data>>,
}

impl<'data> Checkpoint<'data> {
    /// Reads the headers; `shards` are the files' bytes.
    pub(super) fn open(shards: impl IntoIterator<Item = &'data [u8]>) -> Result<Self, WeightsError> {
        let read = |bytes| {
            SafeTensors::deserialize(bytes).map_err(|error| WeightsError::Unreadable(error.to_string()))
        };
        Ok(Self { shards: shards.into_iter().map(read).collect::<Result<_, _>>()? })
    }

    /// The format that the checkpoint's embedding table is stored in, which is taken as that of all.
    pub(super) fn stored_scheme(&self) -> GgmlDType {
        match self.shards.iter().find_map(|shard| shard.tensor(EMBEDDING).ok()).map(|tensor| tensor.dtype()) {
            Some(Dtype::BF16) => GgmlDType::BF16,
            Some(Dtype::F16) => GgmlDType::F16,
            _ => GgmlDType::F32,
        }
    }

    fn values(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, WeightsError> {
        let found = self.shards.iter().find_map(|shard| shard.tensor(name).ok());
        let tensor = found.ok_or_else(|| WeightsError::Missing(name.to_owned()))?;
        if tensor.shape() != shape {
            let found = tensor.shape().to_vec();
            return Err(WeightsError::Shape { name: name.to_owned(), found, expected: shape.to_vec() });
        }
        widen(tensor.dtype(), tensor.data())
            .ok_or_else(|| WeightsError::Stored { name: name.to_owned(), found: tensor.dtype() })
    }

    /// Stacks the rows of several matrices with the same number of columns.
    fn matrix(
        &self,
        parts: &[(String, usize)],
        columns: usize,
        dtype: GgmlDType,
    ) -> Result<Matrix, WeightsError> {
        let mut values = Vec::new();
        for (name, rows) in parts {
            values.extend(self.values(name, &[*rows, columns])?);
        }
        Ok(Matrix::new(values, columns, dtype)?)
    }
}

/// Refuses a scheme whose blocks do not divide every row, before anything is read.
fn check_rows(config: &ModelConfig, dtype: GgmlDType) -> Result<(), WeightsError> {
    let block = dtype.block_size();
    let rows = [
        ("self_attn.q_proj", config.hidden_size),
        ("self_attn.o_proj", config.query_width()),
        ("mlp.down_proj", config.intermediate_size),
    ];
    match rows.iter().find(|(_, columns)| !columns.is_multiple_of(block)) {
        Some((name, columns)) => Err(WeightsError::Blocks {
            scheme: name_of(dtype),
            block,
            name: (*name).to_owned(),
            columns: *columns,
        }),
        None => Ok(()),
    }
}

const EMBEDDING: &str = "model.embed_tokens.weight";

fn widen(dtype: Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
    let pairs = || bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair));
    match dtype {
        Dtype::F32 => Some(bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect()),
        Dtype::F16 => Some(pairs().map(f16::from_bits).collect::<Vec<_>>().to_f32_vec()),
        Dtype::BF16 => Some(pairs().map(bf16::from_bits).collect::<Vec<_>>().to_f32_vec()),
        _ => None,
    }
}

impl Weights {
    /// Loads a Qwen3 checkpoint under the tensor names of Hugging Face and quantizes its matrices to `dtype`. The norms
    /// stay `f32`.
    pub(super) fn load(
        checkpoint: &Checkpoint<'_>,
        config: &ModelConfig,
        dtype: GgmlDType,
    ) -> Result<Self, WeightsError> {
        check_rows(config, dtype)?;
        let (vocabulary, hidden) = (config.vocab_size, config.hidden_size);
        let head_dtype = head_scheme(dtype, hidden);
        let tied = config.tie_word_embeddings;
        let table = [(EMBEDDING.to_owned(), vocabulary)];
        let embedding = checkpoint.matrix(&table, hidden, if tied { head_dtype } else { dtype })?;
        let head = if tied {
            None
        } else {
            Some(checkpoint.matrix(&[("lm_head.weight".to_owned(), vocabulary)], hidden, head_dtype)?)
        };
        let layers =
            (0..config.num_hidden_layers).map(|at| LayerWeights::load(checkpoint, config, dtype, at));
        Ok(Self {
            embedding,
            head,
            layers: layers.collect::<Result<_, _>>()?,
            norm: checkpoint.values("model.norm.weight", &[hidden])?,
        })
    }

    /// The matrix that turns the last hidden state into logits.
    pub(super) fn head(&self) -> &Matrix {
        self.head.as_ref().unwrap_or(&self.embedding)
    }

    /// Bits per weight as held in memory, over all parameters, norms and block scales included.
    pub(super) fn bits_per_weight(&self) -> f64 {
        let layers = self.layers.iter().flat_map(LayerWeights::matrices);
        let matrices = layers.chain([&self.embedding]).chain(&self.head);
        let (mut bytes, mut elements) =
            matrices.fold((0, 0), |(b, n), matrix| (b + matrix.bytes(), n + matrix.elements()));
        let norms = self.norm.len() + self.layers.iter().map(LayerWeights::norm_elements).sum::<usize>();
        bytes += norms * size_of::<f32>();
        elements += norms;
        bytes as f64 * 8.0 / elements as f64
    }
}

impl LayerWeights {
    fn load(
        checkpoint: &Checkpoint<'_>,
        config: &ModelConfig,
        dtype: GgmlDType,
        layer: usize,
    ) -> Result<Self, WeightsError> {
        let name = |part: &str| format!("model.layers.{layer}.{part}.weight");
        let (hidden, inner) = (config.hidden_size, config.intermediate_size);
        let (queries, kv) = (config.query_width(), config.kv_width());
        let matrix = |parts: &[(&str, usize)], columns| {
            let parts: Vec<_> = parts.iter().map(|(part, rows)| (name(part), *rows)).collect();
            checkpoint.matrix(&parts, columns, dtype)
        };
        let norm = |part: &str, width| checkpoint.values(&name(part), &[width]);
        Ok(Self {
            attention_norm: norm("input_layernorm", hidden)?,
            query_key_value: matrix(
                &[("self_attn.q_proj", queries), ("self_attn.k_proj", kv), ("self_attn.v_proj", kv)],
                hidden,
            )?,
            query_norm: norm("self_attn.q_norm", config.head_dim)?,
            key_norm: norm("self_attn.k_norm", config.head_dim)?,
            output: matrix(&[("self_attn.o_proj", hidden)], queries)?,
            feed_forward_norm: norm("post_attention_layernorm", hidden)?,
            gate_up: matrix(&[("mlp.gate_proj", inner), ("mlp.up_proj", inner)], hidden)?,
            down: matrix(&[("mlp.down_proj", hidden)], inner)?,
        })
    }

    fn matrices(&self) -> [&Matrix; 4] {
        [&self.query_key_value, &self.output, &self.gate_up, &self.down]
    }

    fn norm_elements(&self) -> usize {
        [&self.attention_norm, &self.query_norm, &self.key_norm, &self.feed_forward_norm]
            .iter()
            .map(|norm| norm.len())
            .sum()
    }
}
