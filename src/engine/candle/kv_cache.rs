//! Keys and values of the tokens read so far, in memory that is set aside once.

/// Positions whose keys stand together, and the multiple that rows of values are filled up to with zeros.
pub(super) const PANEL: usize = 16;

/// The cache of one layer, for each key/value head in turn.
///
/// Keys stand in panels of 16 positions: the first number of each key, then the second one of each, and so on. Values
/// stand in rows.
#[derive(Debug)]
struct LayerCache {
    keys: Vec<f32>,
    values: Vec<f32>,
}

/// Keys and values of one head.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeadCache<'a> {
    /// Panels of [`PANEL`] keys: `head_dim` times as many numbers each.
    pub(super) keys: &'a [[f32; PANEL]],
    /// Rows of values, in parts of [`PANEL`] numbers, the last one filled up with zeros.
    pub(super) values: &'a [[f32; PANEL]],
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
        let keys = heads * capacity.next_multiple_of(PANEL) * head_dim;
        let values = heads * capacity * head_dim.next_multiple_of(PANEL);
        let layer = |_| LayerCache { keys: vec![0.0; keys], values: vec![0.0; values] };
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
        let start = (self.key_panels() * head + position / PANEL) * self.head_dim * PANEL;
        let layer = &mut self.layers[layer];
        let panel = layer.keys[start..].as_chunks_mut::<PANEL>().0;
        for (numbers, number) in panel.iter_mut().zip(key) {
            numbers[position % PANEL] = *number;
        }
        let start = (head * self.capacity + position) * self.head_dim.next_multiple_of(PANEL);
        layer.values[start..start + self.head_dim].copy_from_slice(value);
    }

    /// Keys and values of one head, at all positions.
    pub(super) fn head(&self, layer: usize, head: usize) -> HeadCache<'_> {
        let layer = &self.layers[layer];
        let keys = self.key_panels() * self.head_dim;
        let values = self.capacity * self.head_dim.div_ceil(PANEL);
        HeadCache {
            keys: &layer.keys.as_chunks().0[head * keys..(head + 1) * keys],
            values: &layer.values.as_chunks().0[head * values..(head + 1) * values],
        }
    }

    fn key_panels(&self) -> usize {
        self.capacity.div_ceil(PANEL)
    }
}
