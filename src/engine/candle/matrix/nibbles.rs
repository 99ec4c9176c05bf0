//! `q4_0`, `q4_1`, `q5_0`, `q5_1`: blocks of 32 weights of 4 or 5 bits, with a scale and perhaps a minimum.

use super::activations::{Rounded, Short};
use super::format::{Format, GROUP, GroupSums, ROWS, float_at};
use super::quads::{QUADS, Quads, raised, signed};
use crate::engine::candle::lanes::Lanes;
use std::ops::Range;

/// Weights of `4 + HIGH` bits: `scale * (q - middle)`, or `scale * q + minimum` where there is a minimum.
///
/// A panel's block: the quads, then the scales and the minima of the eight rows.
pub(super) struct Nibbles<const HIGH: usize, const MINIMUM: bool>;

/// A panel's block, ready to be multiplied.
struct Block<L: Lanes> {
    quads: [L::Bytes; QUADS],
    /// Where the quads are lowered: what the dot products with raised activations are too large by.
    excess: L::Ints,
    scale: L::Floats,
    minimum: L::Floats,
}

impl<const HIGH: usize, const MINIMUM: bool> Nibbles<HIGH, MINIMUM> {
    /// The integer that stands for zero, or for the minimum.
    const OFFSET: i32 = if MINIMUM { 0 } else { 8 << HIGH };

    #[inline(always)]
    fn read<L: Lanes>(block: &[u8], quads: [L::Bytes; QUADS], excess: L::Ints) -> Block<L> {
        let scales = block[Quads::<HIGH>::BYTES..].as_chunks::<16>().0;
        let minimum = if MINIMUM { L::f16s(&scales[1]) } else { L::splat(0.0) };
        Block { quads, excess, scale: L::f16s(&scales[0]), minimum }
    }

    #[inline(always)]
    fn sum<L: Lanes>(product: impl Fn(usize) -> L::Shorts) -> L::Ints {
        Quads::<HIGH>::sum::<L>(product, [L::splat_pair(0x1_0001); 2])
    }

    /// Adds a block's product with a token to `sum`; `dot` has the products of the integers.
    #[inline(always)]
    fn step<L: Lanes>(block: &Block<L>, dot: L::Ints, x: &Short<QUADS>, sum: L::Floats) -> L::Floats {
        let scale = L::times(block.scale, L::splat(x.scale));
        let sum = L::fused(L::float(dot), scale, sum);
        if MINIMUM { L::fused(block.minimum, L::splat(x.total), sum) } else { sum }
    }

    /// One token and a block of all panels of a group. Its activations stay in registers, as the unsigned factors, and the
    /// weights come from the first-level cache.
    #[inline(always)]
    fn group<L: Lanes>(blocks: &[Block<L>; GROUP], x: &Short<QUADS>, sums: &mut GroupSums) {
        let raised = raised::<L>(&x.words);
        let lowered = L::splat_int((i32::from(Quads::<HIGH>::MIDDLE) - Self::OFFSET) * x.sum);
        for (block, sum) in blocks.iter().zip(sums) {
            let dot = Self::sum::<L>(|quad| L::quads(raised[quad], block.quads[quad]));
            let dot = L::less(dot, block.excess);
            let dot = if MINIMUM { L::add(dot, lowered) } else { dot };
            *sum = L::array(Self::step(block, dot, x, L::floats(sum)));
        }
    }
}

impl<const HIGH: usize, const MINIMUM: bool> Format for Nibbles<HIGH, MINIMUM> {
    const COLUMNS: usize = 32;
    const STORED: usize = 16 + 4 * HIGH + if MINIMUM { 4 } else { 2 };
    const BYTES: usize = Self::STORED * ROWS;
    const TILE: usize = 64;
    type Activations = Rounded<Short<QUADS>>;

    fn pack(rows: [&[u8]; ROWS], block: &mut [u8]) {
        let (quads, scales) = block.split_at_mut(Quads::<HIGH>::BYTES);
        for (row, bytes) in rows.into_iter().enumerate() {
            let (heads, rest) = bytes.split_at(if MINIMUM { 4 } else { 2 });
            let (high, nibbles) = rest.split_at(4 * HIGH);
            for column in 0..Self::COLUMNS {
                let nibble = nibbles[column % 16] >> (column / 16 * 4) & 15;
                let bit = if HIGH > 0 { high[column / 8] >> (column % 8) & 1 } else { 0 };
                Quads::<HIGH>::put(quads, row, column, nibble | bit << 4);
            }
            for (pair, scales) in heads.as_chunks::<2>().0.iter().zip(scales.chunks_exact_mut(16)) {
                scales[row * 2..][..2].copy_from_slice(pair);
            }
        }
    }

    fn unpack(block: &[u8], row: usize, out: &mut [f32]) {
        let scales = Quads::<HIGH>::BYTES + row * 2;
        let minimum = if MINIMUM { float_at(block, scales + 16) } else { 0.0 };
        for (column, out) in out.iter_mut().enumerate() {
            let integer = i32::from(Quads::<HIGH>::get(block, row, column)) - Self::OFFSET;
            *out = integer as f32 * float_at(block, scales) + minimum;
        }
    }

    #[inline]
    fn one<L: Lanes>(panels: &[u8], x: &Self::Activations, sums: &mut [[f32; ROWS]]) {
        for (panel, out) in panels.chunks_exact(panels.len() / sums.len()).zip(sums) {
            let mut sum = L::splat(0.0);
            for (block, x) in panel.chunks_exact(Self::BYTES).zip(x.blocks(0..1)) {
                L::prefetch(block);
                let (signed, offset) = (signed::<L>(&x[0].words), L::splat_int(Self::OFFSET * x[0].sum));
                let block = Self::read::<L>(block, Quads::<HIGH>::read::<L>(block), offset);
                let dot = Self::sum::<L>(|quad| L::quads(block.quads[quad], signed[quad]));
                let dot = if MINIMUM { dot } else { L::less(dot, offset) };
                sum = Self::step(&block, dot, &x[0], sum);
            }
            *out = L::array(sum);
        }
    }

    #[inline]
    fn many<L: Lanes>(
        panels: &[&[u8]; GROUP],
        x: &Self::Activations,
        tokens: Range<usize>,
        sums: &mut [GroupSums],
    ) {
        let zero = raised::<L>(&[0; QUADS]);
        for (at, x) in x.blocks(tokens).enumerate() {
            let range = at * Self::BYTES..(at + 1) * Self::BYTES;
            let blocks = panels.map(|panel| {
                let block = &panel[range.clone()];
                let quads = Quads::<HIGH>::read_lowered::<L>(block);
                Self::read::<L>(block, quads, Self::sum::<L>(|quad| L::quads(zero[quad], quads[quad])))
            });
            for (x, sums) in x.iter().zip(sums.iter_mut()) {
                Self::group(&blocks, x, sums);
            }
        }
    }
}
