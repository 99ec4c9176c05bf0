//! The description of a decoder from the metadata of a GGUF file.

use super::decoder_shape::{Activation, Architecture, LayerShape, number_of_layers};
use super::rope::{Frequencies, Pairing, Rope};
use crate::engine::gguf::{Gguf, GgufError};

/// The families that the decoder computes, by `general.architecture`.
const FAMILIES: &[&str] = &["llama", "qwen2", "qwen3", "smollm3", "gemma3"];

/// Every layer of this place among so many sees all tokens (Gemma 3) or has no positions (`SmolLM3`), where the file does
/// not say it.
const GEMMA_FULL_EVERY: usize = 6;
const SMOLLM3_NO_ROPE_EVERY: usize = 4;
/// Base of the layers with a window of Gemma 3 where the file does not say it.
const GEMMA_LOCAL_BASE: f64 = 10_000.0;
/// Number of layers of Gemma 3 27B, whose attention is scaled by the width per head and not by the size of a head.
const GEMMA_27B_LAYERS: usize = 62;
/// Which layers have a window: a number, as above, or a flag for each layer.
const WINDOW_PATTERN: &str = "attention.sliding_window_pattern";
/// The biases that are added. llama.cpp takes others too, where a file of these families has them.
const BIASES: &[&str] = &["attn_q.bias", "attn_k.bias", "attn_v.bias"];

/// Why a GGUF file describes no decoder that can be run.
#[derive(Debug, thiserror::Error)]
pub(in crate::engine::candle) enum ShapeError {
    /// The file is not as it must be.
    #[error(transparent)]
    File(#[from] GgufError),
    /// The file is fine, but this decoder does not compute it.
    #[error("{0}")]
    NotComputed(String),
}

/// Reads the sizes and switches.
pub(in crate::engine::candle) fn from_gguf(gguf: &Gguf) -> Result<Architecture, ShapeError> {
    let family = gguf.architecture()?;
    if !FAMILIES.contains(&family) {
        let known = FAMILIES.join(", ");
        return Err(ShapeError::NotComputed(format!(
            "the architecture is `{family}`; these can be run: {known}"
        )));
    }
    let reader = Reader { gguf, family };
    reader.refuse_what_is_not_computed()?;
    reader.architecture()?.check().map_err(ShapeError::NotComputed)
}

/// Input widths of the matrices of a file that can be run: the hidden state, the feed-forward layer, the heads together.
pub(in crate::engine) fn row_lengths(gguf: &Gguf) -> Vec<u64> {
    let Ok(shape) = from_gguf(gguf) else { return Vec::new() };
    let mut lengths = [shape.hidden, shape.inner, shape.query_width()].map(|length| length as u64).to_vec();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

struct Reader<'a> {
    gguf: &'a Gguf,
    family: &'a str,
}

impl Reader<'_> {
    fn key(&self, key: &str) -> String {
        format!("{}.{key}", self.family)
    }

    fn size(&self, key: &str) -> Result<Option<usize>, GgufError> {
        Ok(self.gguf.metadata().unsigned(&self.key(key))?.map(|size| size as usize))
    }

    fn float(&self, key: &str) -> Result<Option<f64>, GgufError> {
        self.gguf.metadata().float(&self.key(key))
    }

    fn needed(&self, key: &str) -> Result<usize, GgufError> {
        let size = self.size(key)?;
        self.gguf.metadata().need(&self.key(key), size)
    }

    fn has(&self, tensor: &str) -> bool {
        self.gguf.tensor(tensor).is_some()
    }

    fn refuse_what_is_not_computed(&self) -> Result<(), ShapeError> {
        let refuse =
            |why: String| Err(ShapeError::NotComputed(format!("{why}, which this decoder does not compute")));
        if self.size("expert_count")?.is_some_and(|count| count > 0) {
            return refuse("the model is a mixture of experts".to_owned());
        }
        for key in ["attn_logit_softcapping", "final_logit_softcapping"] {
            if self.float(key)?.is_some_and(|cap| cap != 0.0) {
                return refuse(format!("`{}` is set", self.key(key)));
            }
        }
        if self.float("rope.scaling.attn_factor")?.is_some_and(|factor| (factor - 1.0).abs() > 1e-6) {
            return refuse(format!("`{}` is not 1", self.key("rope.scaling.attn_factor")));
        }
        let mut names = self.gguf.tensors().map(|tensor| tensor.name());
        let unknown = |name: &&str| {
            name.rsplit('.').next() == Some("bias") && !BIASES.iter().any(|known| name.ends_with(known))
        };
        if let Some(bias) = names.find(unknown) {
            return refuse(format!("the model has the tensor `{bias}`"));
        }
        match self.scaling()?.filter(|kind| !matches!(*kind, "none" | "linear")) {
            Some(kind) => refuse(format!("`{}` is `{kind}`", self.key("rope.scaling.type"))),
            None => Ok(()),
        }
    }

    fn scaling(&self) -> Result<Option<&str>, GgufError> {
        self.gguf.metadata().text(&self.key("rope.scaling.type"))
    }

    fn architecture(&self) -> Result<Architecture, ShapeError> {
        let (hidden, query_heads) = (self.needed("embedding_length")?, self.needed("attention.head_count")?);
        let plain_head = hidden.checked_div(query_heads).unwrap_or(0);
        let head_dim = self.size("attention.key_length")?.unwrap_or(plain_head);
        let eps = self.key("attention.layer_norm_rms_epsilon");
        let metadata = self.gguf.metadata();
        let gemma = self.family == "gemma3";
        let layers = number_of_layers(self.needed("block_count")?).map_err(ShapeError::NotComputed)?;
        let window = self.size("attention.sliding_window")?.filter(|window| gemma && *window > 0);
        let windows = self.windows(layers, window)?;
        let scaled_by = if gemma && layers == GEMMA_27B_LAYERS { plain_head } else { head_dim };
        Ok(Architecture {
            vocabulary: self
                .gguf
                .tensor("token_embd.weight")
                .map_or(0, |table| table.shape().get(1).copied().unwrap_or(0)),
            hidden,
            inner: self.needed("feed_forward_length")?,
            query_heads,
            kv_heads: self.size("attention.head_count_kv")?.unwrap_or(query_heads),
            head_dim,
            eps: metadata.need(&eps, metadata.float(&eps)?)? as f32,
            context: self.needed("context_length")?,
            tied: !self.has("output.weight"),
            qkv_bias: self.has("blk.0.attn_q.bias"),
            head_norms: self.has("blk.0.attn_q_norm.weight"),
            norms_after: gemma,
            norm_offset: 0.0,
            embedding_scale: if gemma { (hidden as f32).sqrt() } else { 1.0 },
            attention_scale: 1.0 / (scaled_by as f32).sqrt(),
            activation: if gemma { Activation::GeluTanh } else { Activation::Silu },
            pairing: if matches!(self.family, "llama" | "smollm3") {
                Pairing::Neighbours
            } else {
                Pairing::Halves
            },
            ropes: self.ropes(head_dim)?,
            layers: windows
                .into_iter()
                .enumerate()
                .map(|(layer, window)| self.layer(layer, window))
                .collect(),
        })
    }

    /// The window of each layer.
    fn windows(&self, layers: usize, window: Option<usize>) -> Result<Vec<Option<usize>>, GgufError> {
        let (metadata, key) = (self.gguf.metadata(), self.key(WINDOW_PATTERN));
        if metadata.is_array(&key) {
            let flags = metadata.flags(&key)?.unwrap_or_default();
            let slides = |layer| flags.get(layer).copied().unwrap_or(false);
            return Ok((0..layers).map(|layer| window.filter(|_| slides(layer))).collect());
        }
        let every = self.size(WINDOW_PATTERN)?.unwrap_or(GEMMA_FULL_EVERY);
        Ok((0..layers).map(|layer| window.filter(|_| !(layer + 1).is_multiple_of(every))).collect())
    }

    fn layer(&self, layer: usize, window: Option<usize>) -> LayerShape {
        let has_rope = self.family != "smollm3" || !(layer + 1).is_multiple_of(SMOLLM3_NO_ROPE_EVERY);
        LayerShape { rope: has_rope.then_some(usize::from(window.is_some())), window }
    }

    /// The table of the full layers, and one for the layers with a window.
    fn ropes(&self, head_dim: usize) -> Result<Vec<Rope>, ShapeError> {
        if self.size("rope.dimension_count")?.is_some_and(|turned| turned != head_dim) {
            let why = "only a part of each head is rotated, which this decoder does not compute";
            return Err(ShapeError::NotComputed(why.to_owned()));
        }
        let frequencies = match (self.divisors()?, self.stretch()?) {
            (Some(divisors), factor) => {
                let factor = factor.unwrap_or(1.0) as f32;
                Frequencies::Divisors(divisors.into_iter().map(|divisor| divisor * factor).collect())
            }
            (None, Some(factor)) => Frequencies::Linear(factor),
            (None, None) => Frequencies::Plain,
        };
        let theta = self.float("rope.freq_base")?.unwrap_or(10_000.0);
        let local = self.float("rope.freq_base_swa")?.unwrap_or(GEMMA_LOCAL_BASE);
        Ok(vec![Rope { theta, frequencies }, Rope { theta: local, frequencies: Frequencies::Plain }])
    }

    /// What all frequencies of the full layers are divided by. A file that gives a factor and no type means `linear`.
    fn stretch(&self) -> Result<Option<f64>, GgufError> {
        if self.scaling()? == Some("none") {
            return Ok(None);
        }
        let factor = match self.float("rope.scaling.factor")? {
            Some(factor) => Some(factor),
            None => self.float("rope.scale_linear")?,
        };
        Ok(factor.filter(|factor| *factor > 0.0))
    }

    fn divisors(&self) -> Result<Option<Vec<f32>>, ShapeError> {
        let Some(tensor) = self.gguf.tensor("rope_freqs.weight") else { return Ok(None) };
        match tensor.format()? {
            candle_core::quantized::GgmlDType::F32 => Ok(Some(
                tensor.bytes().as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect(),
            )),
            _ => Err(ShapeError::NotComputed("`rope_freqs.weight` is not stored as f32".to_owned())),
        }
    }
}
