//! What a weight format has to say about its panels.

use super::activations::Activations;
use crate::engine::candle::lanes::Lanes;
use half::f16;
use std::ops::Range;

/// Rows of a panel.
pub(super) const ROWS: usize = 8;

/// Panels that many tokens are multiplied with together.
pub(super) const GROUP: usize = 8;

/// Sums of a token with each row of a group of panels.
pub(super) type GroupSums = [[f32; ROWS]; GROUP];

/// A format whose weights stand in panels of [`ROWS`] rows: block after block, all rows of a block together.
///
/// The sum of a row and a token runs over the blocks in their order, each adding the same float terms in the same order
/// in [`Format::one`] and [`Format::many`]: it does not depend on what else is computed in the same call.
pub(super) trait Format: Send + Sync + 'static {
    /// Columns of a block.
    const COLUMNS: usize;
    /// Bytes of one row's block as stored in files.
    const STORED: usize;
    /// Bytes of a panel's block.
    const BYTES: usize;
    /// Tokens that a group of panels is multiplied with at once: the more, the less the weights' unpacking costs, as long
    /// as what is used again and again fits into the first-level cache.
    const TILE: usize;
    /// Activations, as this format is multiplied with them.
    type Activations: Activations;

    /// Puts the blocks of eight rows, as stored in files, into a block of a panel, which is zero before.
    fn pack(rows: [&[u8]; ROWS], block: &mut [u8]);
    /// Reads the weights of one row of a panel's block.
    fn unpack(block: &[u8], row: usize, out: &mut [f32]);
    /// Multiplies one token with consecutive panels, one for each of `sums`, of which there is at least one.
    fn one<L: Lanes>(panels: &[u8], x: &Self::Activations, sums: &mut [[f32; ROWS]]);
    /// Multiplies tokens with a group of panels and adds to `sums`.
    fn many<L: Lanes>(
        panels: &[&[u8]; GROUP],
        x: &Self::Activations,
        tokens: Range<usize>,
        sums: &mut [GroupSums],
    );
}

/// Reads the `f16` at a byte.
pub(super) fn float_at(bytes: &[u8], at: usize) -> f32 {
    f16::from_le_bytes([bytes[at], bytes[at + 1]]).to_f32()
}
