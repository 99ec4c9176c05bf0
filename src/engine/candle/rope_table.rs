//! Rotary positions: cosines and sines of every position, made once.

use super::architecture::Rope;

/// `cos(p f_i)` and the sine of the same, for each position `p` and pair `i` of frequency `f_i` (Su et al. 2021).
#[derive(Debug)]
pub(super) struct RopeTable {
    half: usize,
    cos: Vec<f32>,
    sin: Vec<f32>,
}

impl RopeTable {
    /// Tables for `positions` positions of heads of `head_dim` values. The frequencies and their products with the
    /// position are rounded to `f32`, as the checkpoints were trained with.
    pub(super) fn new(head_dim: usize, rope: &Rope, positions: usize) -> Self {
        let half = head_dim / 2;
        let frequencies = rope.frequencies(half);
        let angles = (0..positions).flat_map(|p| frequencies.iter().map(move |f| p as f32 * f));
        let (sin, cos) = angles.map(f32::sin_cos).unzip();
        Self { half, cos, sin }
    }

    /// Cosines and sines of one position, `head_dim / 2` each.
    pub(super) fn at(&self, position: usize) -> (&[f32], &[f32]) {
        let range = position * self.half..(position + 1) * self.half;
        (&self.cos[range.clone()], &self.sin[range])
    }
}
