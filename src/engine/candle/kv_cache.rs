//! Keys and values of the tokens read so far, in memory that is set aside once.

use std::ops::Range;

/// The cache of one layer: for each key/value head `capacity` rows of `head_dim` values, filled from the front.
#[derive(Debug)]
struct LayerCache {
    keys: Vec<f32>,
    values: Vec<f32>,
}

/// The key/value cache of all layers. Appending writes in place; the operating system hands out the pages as they are
/// first touched, so an unused context costs no memory.
#[derive(Debug)]
pub(super) struct KvCache {
    layers: Vec<LayerCache>,
    head_dim: usize,
    capacity: usize,
    /// The tokens whose keys and values are here.
    tokens: Vec<u32>,
}

impl KvCache {
    /// An empty cache for `capacity` tokens.
    pub(super) fn new(layers: usize, heads: usize, head_dim: usize, capacity: usize) -> Self {
        let size = heads * capacity * head_dim;
        let layer = |_| LayerCache { keys: vec![0.0; size], values: vec![0.0; size] };
        Self {
            layers: (0..layers).map(layer).collect(),
            head_dim,
            capacity,
            tokens: Vec::with_capacity(capacity),
        }
    }

    /// Tokens held.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Tokens that can be held.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many leading tokens of `prompt` are held already.
    pub(super) fn shared_prefix(&self, prompt: &[u32]) -> usize {
        self.tokens.iter().zip(prompt).take_while(|(held, asked)| held == asked).count()
    }

    /// Forgets everything after the first `length` tokens.
    pub(super) fn truncate(&mut self, length: usize) {
        self.tokens.truncate(length);
    }

    /// Notes that the keys and values of `tokens` have been written in every layer.
    pub(super) fn commit(&mut self, tokens: &[u32]) {
        self.tokens.extend_from_slice(tokens);
    }

    /// Writes key and value of one head at `position`.
    pub(super) fn write(&mut self, layer: usize, head: usize, position: usize, key: &[f32], value: &[f32]) {
        let start = (head * self.capacity + position) * self.head_dim;
        let layer = &mut self.layers[layer];
        layer.keys[start..start + self.head_dim].copy_from_slice(key);
        layer.values[start..start + self.head_dim].copy_from_slice(value);
    }

    /// Keys and values of one head at the positions `seen`, one row of `head_dim` values each.
    pub(super) fn head(&self, layer: usize, head: usize, seen: Range<usize>) -> (&[f32], &[f32]) {
        let start = head * self.capacity;
        let range = (start + seen.start) * self.head_dim..(start + seen.end) * self.head_dim;
        let layer = &self.layers[layer];
        (&layer.keys[range.clone()], &layer.values[range])
    }
}
