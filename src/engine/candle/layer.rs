//! One layer at work on the tokens of a pass.

use super::architecture::{Activation, Architecture, Pairing};
use super::attention::{Heads, Tokens, attend};
use super::decoder::Place;
use super::kernels::{
    add, gated_gelu, gated_silu, rms_norm, rms_norm_in_place, rotate_halves, rotate_neighbours,
};
use super::kv_cache::KvCache;
use super::rope_table::RopeTable;
use super::weights::LayerWeights;
use candle_core::Result;

/// Intermediate values of the tokens under way; they only ever grow.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// The residual stream, one row a token.
    pub(super) hidden: Vec<f32>,
    pub(super) normed: Vec<f32>,
    query_key_value: Vec<f32>,
    attended: Vec<f32>,
    projected: Vec<f32>,
    gate_up: Vec<f32>,
    gated: Vec<f32>,
    scores: Vec<f32>,
    scratch: Vec<f32>,
}

impl Buffers {
    /// Copies a row of the residual stream to an earlier place.
    pub(super) fn keep_row(&mut self, from: usize, to: usize, width: usize) {
        self.hidden.copy_within(from * width..(from + 1) * width, to * width);
    }
}

/// A layer and the tokens that pass through it.
pub(super) struct LayerPass<'a> {
    pub(super) weights: &'a LayerWeights,
    pub(super) shape: &'a Architecture,
    pub(super) index: usize,
    pub(super) places: &'a [Place],
}

impl LayerPass<'_> {
    /// Adds to each token what it attends to; its keys and values go into the cache of its sequence.
    pub(super) fn attention(
        &self,
        rope: Option<&RopeTable>,
        caches: &mut [KvCache],
        buffers: &mut Buffers,
    ) -> Result<()> {
        let Buffers { hidden, normed, query_key_value, attended, projected, scores, scratch, .. } = buffers;
        let (weights, eps) = (self.weights, self.shape.eps);
        let stride = weights.query_key_value.rows();
        normed.resize(hidden.len(), 0.0);
        rms_norm(hidden, &weights.attention_norm, eps, normed);
        query_key_value.resize(self.places.len() * stride, 0.0);
        weights.query_key_value.multiply(normed, query_key_value, scratch)?;
        for (place, row) in self.places.iter().zip(query_key_value.chunks_exact_mut(stride)) {
            self.place(row, *place, rope, &mut caches[place.sequence]);
        }
        let width = self.shape.query_width();
        attended.resize(self.places.len() * width, 0.0);
        let window = self.shape.layers[self.index].window;
        let mut start = 0;
        for places in self.places.chunk_by(|a, b| a.sequence == b.sequence) {
            let rows = &query_key_value[start * stride..(start + places.len()) * stride];
            let tokens = Tokens { first: places[0].position, window, rows, stride };
            let out = &mut attended[start * width..(start + places.len()) * width];
            attend(&caches[places[0].sequence], self.index, self.heads(), tokens, scores, out);
            start += places.len();
        }
        projected.resize(hidden.len(), 0.0);
        weights.output.multiply(attended, projected, scratch)?;
        self.rejoin(weights.after_attention_norm.as_deref(), projected, normed, hidden);
        Ok(())
    }

    fn heads(&self) -> Heads {
        let Architecture { query_heads, kv_heads, head_dim, attention_scale, .. } = *self.shape;
        Heads { queries: query_heads, kv: kv_heads, width: head_dim, scale: attention_scale }
    }

    /// Norms and rotates the query and key heads of one token and writes its keys and values to the cache.
    fn place(&self, row: &mut [f32], place: Place, rope: Option<&RopeTable>, cache: &mut KvCache) {
        let Heads { queries, kv, width, .. } = self.heads();
        let turn = rope.map(|table| table.at(place.position));
        let norms = self.weights.head_norms.as_ref();
        let (query, rest) = row.split_at_mut(queries * width);
        let (keys, values) = rest.split_at_mut(kv * width);
        for head in query.chunks_exact_mut(width) {
            self.prepare(head, norms.map(|(query, _)| query.as_slice()), turn);
        }
        for (index, (key, value)) in keys.chunks_exact_mut(width).zip(values.chunks_exact(width)).enumerate()
        {
            self.prepare(key, norms.map(|(_, key)| key.as_slice()), turn);
            cache.write(self.index, index, place.position, key, value);
        }
    }

    fn prepare(&self, head: &mut [f32], norm: Option<&[f32]>, turn: Option<(&[f32], &[f32])>) {
        if let Some(norm) = norm {
            rms_norm_in_place(head, norm, self.shape.eps);
        }
        match (turn, self.shape.pairing) {
            (Some((cos, sin)), Pairing::Halves) => rotate_halves(head, cos, sin),
            (Some((cos, sin)), Pairing::Neighbours) => rotate_neighbours(head, cos, sin),
            (None, _) => {}
        }
    }

    /// Adds the feed-forward part to each token.
    pub(super) fn feed_forward(&self, buffers: &mut Buffers) -> Result<()> {
        let Buffers { hidden, normed, projected, gate_up, gated, scratch, .. } = buffers;
        let (weights, inner) = (self.weights, self.shape.inner);
        rms_norm(hidden, &weights.feed_forward_norm, self.shape.eps, normed);
        gate_up.resize(self.places.len() * 2 * inner, 0.0);
        weights.gate_up.multiply(normed, gate_up, scratch)?;
        gated.resize(self.places.len() * inner, 0.0);
        match self.shape.activation {
            Activation::Silu => gated_silu(gate_up, inner, gated),
            Activation::GeluTanh => gated_gelu(gate_up, inner, gated),
        }
        weights.down.multiply(gated, projected, scratch)?;
        self.rejoin(weights.after_feed_forward_norm.as_deref(), projected, normed, hidden);
        Ok(())
    }

    /// Adds what a half of the layer has computed to the residual stream, normed first where the family does so.
    fn rejoin(&self, norm: Option<&[f32]>, projected: &[f32], normed: &mut [f32], hidden: &mut [f32]) {
        match norm {
            Some(norm) => {
                rms_norm(projected, norm, self.shape.eps, normed);
                add(hidden, normed);
            }
            None => add(hidden, projected),
        }
    }
}
