//! The decoder: tokens in, logits out.
//!
//! Grouped-query attention, rotary positions, a gated feed-forward part, RMS norms: the llama kind (Touvron et al. 2023),
//! with the switches of [`Architecture`]. A token's numbers do not depend on what it is computed together with: not on
//! the size of a chunk, nor on other sequences in the same pass. All intermediate values live in buffers that are made
//! once.

use super::architecture::Architecture;
use super::generate::FIRST;
use super::kernels::rms_norm;
use super::kv_cache::KvCache;
use super::layer::{Buffers, LayerPass};
use super::model::Model;
use super::rope_table::RopeTable;
use super::weights::Weights;
use candle_core::Result;

/// Most tokens whose logits stand in memory at once.
const LOGIT_ROWS: usize = 32;

/// A decoder with the caches of its sequences.
#[derive(Debug)]
pub(super) struct Decoder {
    weights: Weights,
    shape: Architecture,
    context: usize,
    ropes: Vec<RopeTable>,
    caches: Vec<KvCache>,
    places: Vec<Place>,
    buffers: Buffers,
    logits: Vec<f32>,
}

/// Tokens that go on a sequence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span<'a> {
    /// Which sequence.
    pub(super) sequence: usize,
    /// What comes next in it; not empty.
    pub(super) tokens: &'a [u32],
}

/// Where a token of a pass stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Which sequence.
    pub(super) sequence: usize,
    /// Tokens before it.
    pub(super) position: usize,
}

impl Decoder {
    /// A decoder for one sequence with room for `context` tokens.
    pub(super) fn new(weights: Weights, shape: Architecture, context: usize) -> Self {
        Self {
            ropes: shape.ropes.iter().map(|rope| RopeTable::new(shape.head_dim, rope, context)).collect(),
            caches: vec![empty_cache(&shape, context)],
            context,
            places: Vec::new(),
            buffers: Buffers::default(),
            logits: Vec::new(),
            weights,
            shape,
        }
    }

    /// Sets up empty caches until there are `sequences`.
    pub(super) fn make_room(&mut self, sequences: usize) {
        while self.caches.len() < sequences {
            self.caches.push(empty_cache(&self.shape, self.context));
        }
    }

    /// The cache of a sequence.
    pub(super) fn cache(&mut self, sequence: usize) -> &mut KvCache {
        &mut self.caches[sequence]
    }

    /// Reads the tokens after those in the sequence's cache, `chunk` at a time, and gives the logits that follow the last
    /// one.
    ///
    /// The caller sees to it that they fit into the context and that there is at least one.
    pub(super) fn read_span(&mut self, span: Span<'_>, chunk: usize) -> Result<&mut [f32]> {
        for tokens in span.tokens.chunks(chunk.max(1)) {
            self.forward(&[Span { tokens, ..span }])?;
        }
        let last = self.places.len() - 1;
        self.predict(last..last + 1)?;
        Ok(&mut self.logits)
    }

    /// Like [`Decoder::read_span`], and shows `visit` the logits that follow each of the tokens, with its index among them.
    pub(super) fn read_each(
        &mut self,
        span: Span<'_>,
        chunk: usize,
        mut visit: impl FnMut(usize, &[f32]),
    ) -> Result<()> {
        let mut index = 0;
        for tokens in span.tokens.chunks(chunk.max(1)) {
            self.forward(&[Span { tokens, ..span }])?;
            for start in (0..tokens.len()).step_by(LOGIT_ROWS) {
                self.predict(start..tokens.len().min(start + LOGIT_ROWS))?;
                for logits in self.logits.chunks_exact(self.shape.vocabulary) {
                    visit(index, logits);
                    index += 1;
                }
            }
        }
        Ok(())
    }

    /// Reads spans of different sequences in one pass and gives the logits that follow the last token of each, one row of
    /// the vocabulary's size for each span.
    pub(super) fn read_together(&mut self, spans: &[Span<'_>]) -> Result<impl Iterator<Item = &[f32]>> {
        self.forward(spans)?;
        let mut end = 0;
        for (row, span) in spans.iter().enumerate() {
            end += span.tokens.len();
            self.buffers.keep_row(end - 1, row, self.shape.hidden);
        }
        self.predict(0..spans.len())?;
        Ok(self.logits.chunks_exact(self.shape.vocabulary))
    }

    /// Runs the layers over the tokens; their hidden states are left in the buffers, one row each.
    fn forward(&mut self, spans: &[Span<'_>]) -> Result<()> {
        self.places.clear();
        for span in spans {
            let start = self.caches[span.sequence].len();
            let place = |index| Place { sequence: span.sequence, position: start + index };
            self.places.extend((0..span.tokens.len()).map(place));
        }
        self.embed(spans)?;
        for (index, layer) in self.weights.layers.iter().enumerate() {
            let pass = LayerPass { weights: layer, shape: &self.shape, index, places: &self.places };
            let rope = self.shape.layers[index].rope.and_then(|table| self.ropes.get(table));
            pass.attention(rope, &mut self.caches, &mut self.buffers)?;
            pass.feed_forward(&mut self.buffers)?;
        }
        for span in spans {
            self.caches[span.sequence].commit(span.tokens);
        }
        Ok(())
    }

    fn embed(&mut self, spans: &[Span<'_>]) -> Result<()> {
        let width = self.shape.hidden;
        let hidden = &mut self.buffers.hidden;
        hidden.resize(self.places.len() * width, 0.0);
        let tokens = spans.iter().flat_map(|span| span.tokens);
        for (token, row) in tokens.zip(hidden.chunks_exact_mut(width)) {
            self.weights.embedding.row(*token as usize, row)?;
        }
        let scale = self.shape.embedding_scale;
        if scale.to_bits() != 1.0f32.to_bits() {
            for x in hidden {
                *x *= scale;
            }
        }
        Ok(())
    }

    /// Logits of the tokens of the last pass whose rows are in `rows`.
    fn predict(&mut self, rows: std::ops::Range<usize>) -> Result<()> {
        let width = self.shape.hidden;
        let Buffers { hidden, normed, .. } = &mut self.buffers;
        let hidden = &hidden[rows.start * width..rows.end * width];
        normed.resize(hidden.len(), 0.0);
        rms_norm(hidden, &self.weights.norm, self.shape.eps, normed);
        self.logits.resize(rows.len() * self.shape.vocabulary, 0.0);
        self.weights.head().multiply(normed, &mut self.logits)
    }
}

impl Model for Decoder {
    fn vocabulary(&self) -> usize {
        self.shape.vocabulary
    }

    fn context(&self) -> usize {
        self.context
    }

    fn held(&self) -> usize {
        self.caches[FIRST].len()
    }

    fn clear(&mut self) {
        self.caches[FIRST].truncate(0);
    }

    fn keep(&mut self, prompt: &[u32]) -> usize {
        let cache = &mut self.caches[FIRST];
        let held = cache.shared_prefix(prompt).min(prompt.len().saturating_sub(1));
        cache.truncate(held);
        held
    }

    fn read(&mut self, tokens: &[u32], chunk: usize) -> Result<&mut [f32]> {
        self.read_span(Span { sequence: FIRST, tokens }, chunk)
    }

    fn decoder(&mut self) -> Option<&mut Decoder> {
        Some(self)
    }
}

fn empty_cache(shape: &Architecture, context: usize) -> KvCache {
    KvCache::new(shape.layers.len(), shape.kv_heads, shape.head_dim, context)
}
