//! The description of a decoder.

use super::rope::{Pairing, Rope};

/// A decoder of the llama kind: RMS norms, grouped-query attention, a gated feed-forward part. The families differ in
/// the switches below.
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own that some family has
#[derive(Debug, Clone)]
pub(in crate::engine::candle) struct Architecture {
    /// Tokens in the embedding table.
    pub(in crate::engine::candle) vocabulary: usize,
    /// Width of the residual stream.
    pub(in crate::engine::candle) hidden: usize,
    /// Width inside the feed-forward part.
    pub(in crate::engine::candle) inner: usize,
    /// Query heads.
    pub(in crate::engine::candle) query_heads: usize,
    /// Key and value heads; each serves a group of query heads.
    pub(in crate::engine::candle) kv_heads: usize,
    /// Width of a head.
    pub(in crate::engine::candle) head_dim: usize,
    /// Added to the mean square in every norm.
    pub(in crate::engine::candle) eps: f32,
    /// Longest context the model was made for.
    pub(in crate::engine::candle) context: usize,
    /// The output head is the embedding table.
    pub(in crate::engine::candle) tied: bool,
    /// Query, key and value have biases (Qwen2).
    pub(in crate::engine::candle) qkv_bias: bool,
    /// Each query and key head is normed (Qwen3, Gemma 3).
    pub(in crate::engine::candle) head_norms: bool,
    /// Attention and feed-forward part are normed after as well as before (Gemma 3).
    pub(in crate::engine::candle) norms_after: bool,
    /// Added to every norm weight as stored: Gemma checkpoints store the difference from one.
    pub(in crate::engine::candle) norm_offset: f32,
    /// Factor on the embeddings (Gemma: the root of the width).
    pub(in crate::engine::candle) embedding_scale: f32,
    /// Factor on the products of queries and keys.
    pub(in crate::engine::candle) attention_scale: f32,
    /// What the gate goes through.
    pub(in crate::engine::candle) activation: Activation,
    /// Which values of a head turn together.
    pub(in crate::engine::candle) pairing: Pairing,
    /// The rotary tables that the layers use.
    pub(in crate::engine::candle) ropes: Vec<Rope>,
    /// The layers, in order.
    pub(in crate::engine::candle) layers: Vec<LayerShape>,
}

/// What sets a layer apart from its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::candle) struct LayerShape {
    /// Which of the rotary tables; `None` for a layer without positions (`SmolLM3`).
    pub(in crate::engine::candle) rope: Option<usize>,
    /// How many tokens a token sees, itself included; `None` for all before it.
    pub(in crate::engine::candle) window: Option<usize>,
}

/// What the gate of the feed-forward part goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::candle) enum Activation {
    /// `x * sigmoid(x)`.
    Silu,
    /// The tanh form of GELU (Hendrycks & Gimpel 2016).
    GeluTanh,
}

impl Architecture {
    /// Width of all query heads together.
    pub(in crate::engine::candle) fn query_width(&self) -> usize {
        self.query_heads * self.head_dim
    }

    /// Width of all key (or value) heads together.
    pub(in crate::engine::candle) fn kv_width(&self) -> usize {
        self.kv_heads * self.head_dim
    }

    /// Refuses sizes that no decoder can have, whatever the file says.
    pub(super) fn check(self) -> Result<Self, String> {
        const MOST: usize = 1 << 24;
        let sizes = [
            ("vocabulary", self.vocabulary),
            ("hidden size", self.hidden),
            ("feed-forward size", self.inner),
            ("number of layers", self.layers.len()),
            ("number of attention heads", self.query_heads),
            ("number of key/value heads", self.kv_heads),
            ("size of a head", self.head_dim),
            ("context length", self.context),
        ];
        if let Some((name, size)) = sizes.iter().find(|(_, size)| *size == 0 || *size > MOST) {
            return Err(format!("the {name} is {size}, which no model has"));
        }
        if !self.head_dim.is_multiple_of(2) {
            return Err(format!("a head of {} values cannot be rotated in pairs", self.head_dim));
        }
        if !self.query_heads.is_multiple_of(self.kv_heads) {
            return Err(format!(
                "{} attention heads are no multiple of {} key/value heads",
                self.query_heads, self.kv_heads
            ));
        }
        Ok(self)
    }
}
