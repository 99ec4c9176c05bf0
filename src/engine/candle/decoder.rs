//! The Qwen3 decoder: tokens in, logits of the last one out.
//!
//! Grouped-query attention with a norm on each query and key head, rotary positions, `SwiGLU`, RMS norms before each half
//! of a layer (Qwen3 technical report, 2025). All intermediate values live in buffers that are made once.

use super::attention::{Heads, attend};
use super::config::ModelConfig;
use super::kernels::{add, rms_norm, rms_norm_in_place, rotate, swiglu};
use super::kv_cache::KvCache;
use super::rope::RopeTable;
use super::weights::{LayerWeights, Weights};
use candle_core::Result;

/// A decoder with its cache.
#[derive(Debug)]
pub(super) struct Decoder {
    weights: Weights,
    heads: Heads,
    eps: f32,
    rope: RopeTable,
    cache: KvCache,
    buffers: Buffers,
    logits: Vec<f32>,
}

/// Intermediate values of the tokens under way; they only ever grow.
#[derive(Debug, Default)]
struct Buffers {
    hidden: Vec<f32>,
    normed: Vec<f32>,
    query_key_value: Vec<f32>,
    attended: Vec<f32>,
    projected: Vec<f32>,
    gate_up: Vec<f32>,
    gated: Vec<f32>,
    scores: Vec<f32>,
}

impl Decoder {
    /// A decoder with room for `context` tokens.
    pub(super) fn new(weights: Weights, config: &ModelConfig, context: usize) -> Self {
        let heads = Heads {
            queries: config.num_attention_heads,
            kv: config.num_key_value_heads,
            width: config.head_dim,
        };
        Self {
            heads,
            eps: config.rms_norm_eps,
            rope: RopeTable::new(config.head_dim, config.rope_theta, context),
            cache: KvCache::new(config.num_hidden_layers, heads.kv, heads.width, context),
            buffers: Buffers::default(),
            logits: vec![0.0; config.vocab_size],
            weights,
        }
    }

    /// The weights.
    pub(super) fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The cache of the tokens read so far.
    pub(super) fn cache(&mut self) -> &mut KvCache {
        &mut self.cache
    }

    /// Reads `tokens` after those in the cache, `chunk` at a time, and gives the logits that follow the last one.
    ///
    /// The caller sees to it that they fit into the context and that there is at least one.
    pub(super) fn read(&mut self, tokens: &[u32], chunk: usize) -> Result<&mut [f32]> {
        for part in tokens.chunks(chunk.max(1)) {
            self.forward(part)?;
        }
        self.predict()
    }

    /// Runs the layers over consecutive tokens; their hidden states are left in the buffers.
    fn forward(&mut self, tokens: &[u32]) -> Result<()> {
        let width = self.weights.norm.len();
        self.buffers.hidden.resize(tokens.len() * width, 0.0);
        for (token, row) in tokens.iter().zip(self.buffers.hidden.chunks_exact_mut(width)) {
            self.weights.embedding.row(*token as usize, row)?;
        }
        for (index, layer) in self.weights.layers.iter().enumerate() {
            let step = Step { layer, index, heads: self.heads, eps: self.eps };
            step.attention(&self.rope, &mut self.cache, &mut self.buffers)?;
            step.feed_forward(&mut self.buffers)?;
        }
        self.cache.commit(tokens);
        Ok(())
    }

    fn predict(&mut self) -> Result<&mut [f32]> {
        let Buffers { hidden, normed, .. } = &mut self.buffers;
        let last = hidden.len() - self.weights.norm.len();
        normed.resize(self.weights.norm.len(), 0.0);
        rms_norm(&hidden[last..], &self.weights.norm, self.eps, normed);
        self.weights.head().multiply(normed, &mut self.logits)?;
        Ok(&mut self.logits)
    }
}

/// One layer at work on the tokens in the buffers.
struct Step<'a> {
    layer: &'a LayerWeights,
    index: usize,
    heads: Heads,
    eps: f32,
}

impl Step<'_> {
    fn attention(&self, rope: &RopeTable, cache: &mut KvCache, buffers: &mut Buffers) -> Result<()> {
        let Buffers { hidden, normed, query_key_value, attended, projected, scores, .. } = buffers;
        let tokens = hidden.len() / self.layer.attention_norm.len();
        let stride = self.layer.query_key_value.rows();
        normed.resize(hidden.len(), 0.0);
        rms_norm(hidden, &self.layer.attention_norm, self.eps, normed);
        query_key_value.resize(tokens * stride, 0.0);
        self.layer.query_key_value.multiply(normed, query_key_value)?;
        let position = cache.len();
        for (token, row) in query_key_value.chunks_exact_mut(stride).enumerate() {
            self.place(row, position + token, rope, cache);
        }
        attended.resize(tokens * self.heads.queries * self.heads.width, 0.0);
        attend(cache, self.index, self.heads, position, (query_key_value, stride), scores, attended);
        projected.resize(hidden.len(), 0.0);
        self.layer.output.multiply(attended, projected)?;
        add(hidden, projected);
        Ok(())
    }

    /// Norms and rotates the query and key heads of one token and writes its keys and values to the cache.
    fn place(&self, row: &mut [f32], position: usize, rope: &RopeTable, cache: &mut KvCache) {
        let Heads { queries, kv, width } = self.heads;
        let (cos, sin) = rope.at(position);
        let (query, rest) = row.split_at_mut(queries * width);
        let (keys, values) = rest.split_at_mut(kv * width);
        for head in query.chunks_exact_mut(width) {
            rms_norm_in_place(head, &self.layer.query_norm, self.eps);
            rotate(head, cos, sin);
        }
        for (index, (key, value)) in keys.chunks_exact_mut(width).zip(values.chunks_exact(width)).enumerate()
        {
            rms_norm_in_place(key, &self.layer.key_norm, self.eps);
            rotate(key, cos, sin);
            cache.write(self.index, index, position, key, value);
        }
    }

    fn feed_forward(&self, buffers: &mut Buffers) -> Result<()> {
        let Buffers { hidden, normed, projected, gate_up, gated, .. } = buffers;
        let tokens = hidden.len() / self.layer.feed_forward_norm.len();
        let doubled = self.layer.gate_up.rows();
        rms_norm(hidden, &self.layer.feed_forward_norm, self.eps, normed);
        gate_up.resize(tokens * doubled, 0.0);
        self.layer.gate_up.multiply(normed, gate_up)?;
        gated.resize(tokens * doubled / 2, 0.0);
        swiglu(gate_up, doubled / 2, gated);
        self.layer.down.multiply(gated, projected)?;
        add(hidden, projected);
        Ok(())
    }
}
