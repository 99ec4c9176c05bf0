//! The Qwen3 decoder on candle's autograd, in f32.

use std::sync::Arc;

use candle_core::{Device, Result, Tensor};

use super::ops::{CausalSoftmax, CrossEntropy, MergeHeads, RmsNorm, RotaryTable, SplitHeads, SwiGlu};
use super::parameters::Parameters;
use crate::engine::pico::Shape;

/// Keys and values of earlier positions, per layer, each `(batch, kv_heads, positions, head_dim)`.
#[derive(Debug, Default, Clone)]
pub(super) struct Cache {
    layers: Vec<(Tensor, Tensor)>,
    positions: usize,
}

struct Layer {
    input_norm: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    q_norm: Tensor,
    k_norm: Tensor,
    post_norm: Tensor,
    gate: Tensor,
    up: Tensor,
    down: Tensor,
}

/// The decoder; it shares its tensors with the `Parameters` that it was made from.
pub(super) struct Model {
    shape: Shape,
    embedding: Tensor,
    layers: Vec<Layer>,
    norm: Tensor,
    rotary: Arc<RotaryTable>,
}

impl Model {
    /// A decoder on these parameters, for sequences up to `positions` tokens.
    pub(super) fn new(shape: Shape, parameters: &Parameters, positions: usize) -> Result<Self> {
        let layer = |n: usize| -> Result<Layer> {
            let get = |name: &str| parameters.tensor(&format!("model.layers.{n}.{name}.weight"));
            Ok(Layer {
                input_norm: get("input_layernorm")?,
                q: get("self_attn.q_proj")?,
                k: get("self_attn.k_proj")?,
                v: get("self_attn.v_proj")?,
                o: get("self_attn.o_proj")?,
                q_norm: get("self_attn.q_norm")?,
                k_norm: get("self_attn.k_norm")?,
                post_norm: get("post_attention_layernorm")?,
                gate: get("mlp.gate_proj")?,
                up: get("mlp.up_proj")?,
                down: get("mlp.down_proj")?,
            })
        };
        Ok(Self {
            shape,
            embedding: parameters.tensor("model.embed_tokens.weight")?,
            layers: (0..shape.layers).map(layer).collect::<Result<_>>()?,
            norm: parameters.tensor("model.norm.weight")?,
            rotary: Arc::new(RotaryTable::new(shape.head_dim, shape.rope_theta, positions)),
        })
    }

    /// Logits `(rows.len(), vocabulary)` at the flat positions `rows` of `ids`, which holds `batch` sequences of
    /// equal length one after the other. With a cache the sequences continue what the cache holds.
    pub(super) fn logits(
        &self,
        ids: &[u32],
        batch: usize,
        rows: &[u32],
        mut cache: Option<&mut Cache>,
    ) -> Result<Tensor> {
        let mut x = self.embedding.index_select(&Tensor::from_slice(ids, ids.len(), &Device::Cpu)?, 0)?;
        for (n, layer) in self.layers.iter().enumerate() {
            let normed = self.rms_norm(&x, &layer.input_norm)?;
            x = (x + self.attention(layer, &normed, batch, n, cache.as_deref_mut())?)?;
            if n + 1 == self.layers.len() {
                // No later layer looks at the other positions.
                x = x.index_select(&Tensor::from_slice(rows, rows.len(), &Device::Cpu)?, 0)?;
            }
            x = (&x + self.feed_forward(layer, &x)?)?;
        }
        if let Some(cache) = cache {
            cache.positions += ids.len() / batch;
        }
        // The head is the embedding.
        linear(&self.rms_norm(&x, &self.norm)?, &self.embedding)
    }

    /// Weighted sum of the cross-entropy of the targets at the flat positions `rows`.
    pub(super) fn loss(&self, ids: &[u32], batch: usize, rows: &[u32], loss: CrossEntropy) -> Result<Tensor> {
        self.logits(ids, batch, rows, None)?.apply_op1(loss)
    }

    fn feed_forward(&self, layer: &Layer, x: &Tensor) -> Result<Tensor> {
        let normed = self.rms_norm(x, &layer.post_norm)?;
        let gate = linear(&normed, &layer.gate)?;
        linear(&gate.apply_op2(&linear(&normed, &layer.up)?, SwiGlu)?, &layer.down)
    }

    fn rms_norm(&self, x: &Tensor, weight: &Tensor) -> Result<Tensor> {
        x.apply_op2(weight, RmsNorm { eps: self.shape.norm_eps as f32 })
    }

    fn attention(
        &self,
        layer: &Layer,
        x: &Tensor,
        batch: usize,
        index: usize,
        cache: Option<&mut Cache>,
    ) -> Result<Tensor> {
        let Shape { heads, kv_heads, head_dim, .. } = self.shape;
        let offset = cache.as_ref().map_or(0, |cache| cache.positions);
        let q = self.rms_norm(&linear(x, &layer.q)?, &layer.q_norm)?;
        let k = self.rms_norm(&linear(x, &layer.k)?, &layer.k_norm)?;
        let v = linear(x, &layer.v)?;
        let split = |heads, rotary| SplitHeads { batch, heads, rotary, offset };
        let q = q.apply_op1(split(heads, Some(self.rotary.clone())))?;
        let mut k = k.apply_op1(split(kv_heads, Some(self.rotary.clone())))?;
        let mut v = v.apply_op1(split(kv_heads, None))?;
        if let Some(cache) = cache {
            (k, v) = cache.extend(index, k, v)?;
        }
        let queries = q.dim(2)?;
        let grouped = q.reshape((batch, kv_heads, heads / kv_heads * queries, head_dim))?;
        let softmax = CausalSoftmax { scale: (head_dim as f32).sqrt().recip(), queries, offset };
        let weights = grouped.matmul(&k.t()?)?.apply_op1(softmax)?;
        let mixed = weights.matmul(&v)?.reshape((batch, heads, queries, head_dim))?;
        linear(&mixed.apply_op1(MergeHeads)?, &layer.o)
    }
}

impl Cache {
    /// Appends a layer's new keys and values and returns all of them.
    fn extend(&mut self, layer: usize, k: Tensor, v: Tensor) -> Result<(Tensor, Tensor)> {
        let joined = match self.layers.get(layer) {
            Some((old_k, old_v)) => (Tensor::cat(&[old_k, &k], 2)?, Tensor::cat(&[old_v, &v], 2)?),
            None => (k, v),
        };
        match self.layers.get_mut(layer) {
            Some(slot) => *slot = joined.clone(),
            None => self.layers.push(joined.clone()),
        }
        Ok(joined)
    }
}

/// `x (rows, in)` times `weight (out, in)` transposed.
fn linear(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    x.matmul(&weight.t()?)
}
