//! The inner loop of products of floats: rows of numbers that meet the same two registers at each step.

use super::operations::Lanes;

/// Most rows whose sums are in registers at once.
pub(crate) const TILE: usize = 6;

/// The size of equal parts, but for the last, of `count` rows: as few parts as [`TILE`] allows.
pub(crate) fn even(count: usize) -> usize {
    count.div_ceil(count.div_ceil(TILE)).max(1)
}

/// Adds `x[row][step] * weights(step)` over all steps, in their order, to each row's sums.
#[inline(always)]
pub(crate) fn accumulate<L: Lanes, const T: usize>(
    steps: usize,
    weights: impl Fn(usize) -> [L::Floats; 2],
    x: [&[f32]; T],
    sums: &mut [[L::Floats; 2]; T],
) {
    let x = x.map(|row| &row[..steps]);
    for step in 0..steps {
        let weights = weights(step);
        for (sums, x) in sums.iter_mut().zip(&x) {
            let x = L::splat(x[step]);
            *sums = [L::fused(weights[0], x, sums[0]), L::fused(weights[1], x, sums[1])];
        }
    }
}
