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

    /// Refuses sizes that no decoder can have, whatever the file says: much memory is set aside by them.
    pub(super) fn check(self) -> Result<Self, String> {
        const MOST: usize = 1 << 24;
        const WIDE: usize = 1 << 20;
        /// Many times the largest heads that models have.
        const LARGEST_HEAD: usize = 1024;
        /// Heads together are one to four times as wide as the residual stream; keys and values are cached for a whole context.
        const WIDEST: usize = 16;
        let sizes = [
            ("vocabulary", self.vocabulary, MOST),
            ("hidden size", self.hidden, WIDE),
            ("feed-forward size", self.inner, WIDE),
            ("number of attention heads", self.query_heads, WIDE),
            ("number of key/value heads", self.kv_heads, WIDE),
            ("size of a head", self.head_dim, LARGEST_HEAD),
            ("context length", self.context, MOST),
        ];
        if let Some((name, size, _)) = sizes.iter().find(|(_, size, most)| *size == 0 || size > most) {
            return Err(format!("the {name} is {size}, which no model has"));
        }
        number_of_layers(self.layers.len())?;
        if self.query_width() > WIDEST * self.hidden || self.kv_heads > self.query_heads {
            return Err(format!(
                "{} attention heads and {} key/value heads of {} values do not belong to a hidden size of {}",
                self.query_heads, self.kv_heads, self.head_dim, self.hidden
            ));
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
        self.check_numbers()?;
        Ok(self)
    }

    fn check_numbers(&self) -> Result<(), String> {
        let positive = |number: f64| number.is_finite() && number > 0.0;
        if !(self.eps.is_finite() && self.eps >= 0.0) {
            return Err(format!("the number that norms add is {}", self.eps));
        }
        if !positive(f64::from(self.attention_scale)) {
            return Err("the factor on the products of queries and keys is no positive number".to_owned());
        }
        if let Some(rope) = self.ropes.iter().find(|rope| !positive(rope.theta)) {
            return Err(format!("the base of the rotary positions is {}", rope.theta));
        }
        if self.layers.iter().any(|layer| layer.window == Some(0)) {
            return Err("a window of 0 tokens shows a token nothing".to_owned());
        }
        Ok(())
    }
}

/// A number of layers that a decoder can have; it is asked for before there is a list of so many.
pub(in crate::engine::candle) fn number_of_layers(layers: usize) -> Result<usize, String> {
    const MOST: usize = 4096;
    if (1..=MOST).contains(&layers) {
        return Ok(layers);
    }
    Err(format!("the number of layers is {layers}, which no model has"))
}
