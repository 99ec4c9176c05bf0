//! `q4_0`, `q4_1`, `q5_0`, `q5_1`: blocks of 32 weights of 4 or 5 bits, with a scale and perhaps a minimum.

use super::activations::{Rounded, Rounding};
use super::format::{Format, GROUP, GroupSums, ROWS, block_bytes};
use super::lanes::Lanes;
use half::f16;
use std::array::from_fn;
use std::ops::Range;

/// Weights `scale * (q - OFFSET)`, or `scale * q + minimum` where there is a minimum.
///
/// A panel's block: four times 32 bytes with the low nibbles of quads 0 to 3 and the high nibbles of quads 4 to 7; where
/// there is a fifth bit, 32 bytes with that of quad `i` as bit `i`; then the scales and minima of the eight rows.
pub(super) struct Nibbles<const FIFTH: bool, const MINIMUM: bool>;

/// A panel's block, ready to be multiplied.
struct Block<L: Lanes> {
    quads: [L::Bytes; 8],
    scale: L::Floats,
    minimum: L::Floats,
}

impl<const FIFTH: bool, const MINIMUM: bool> Nibbles<FIFTH, MINIMUM> {
    /// Bytes of a panel's block before its scales.
    const QUANTS: usize = if FIFTH { 160 } else { 128 };

    const OFFSET: i32 = match (MINIMUM, FIFTH) {
        (true, _) => 0,
        (false, false) => 8,
        (false, true) => 16,
    };

    #[inline(always)]
    fn read<L: Lanes>(block: &[u8]) -> Block<L> {
        let (quants, scales) = block.split_at(Self::QUANTS);
        let planes = quants.as_chunks::<32>().0;
        let quads = from_fn(|quad| {
            let plane = L::bytes(&planes[quad % 4]);
            let low = if quad < 4 { L::low_nibbles(plane) } else { L::high_nibbles(plane) };
            if FIFTH { L::fifth_bit(low, L::bytes(&planes[4]), quad) } else { low }
        });
        let scales = scales.as_chunks::<16>().0;
        let minimum = if MINIMUM { L::f16s(&scales[1]) } else { L::splat(0.0) };
        Block { quads, scale: L::f16s(&scales[0]), minimum }
    }

    /// The integer dot products of a block: of 4 bits all eight quads fit into 16 bits (at most 8 * 2 * 15 * 127), of 5
    /// bits four.
    #[inline(always)]
    fn dot<L: Lanes>(block: &Block<L>, x: &[i32; 8]) -> L::Ints {
        let product = |quad: usize| L::quads(block.quads[quad], L::splat_quad(x[quad]));
        let two = |quad: usize| L::add_shorts(product(quad), product(quad + 1));
        let four = |quad: usize| L::add_shorts(two(quad), two(quad + 2));
        let ones = L::splat_pair(0x1_0001);
        if FIFTH {
            L::add(L::pairs(four(0), ones), L::pairs(four(4), ones))
        } else {
            L::pairs(L::add_shorts(four(0), four(4)), ones)
        }
    }

    /// Adds a block's product with a token to `sum`.
    #[inline(always)]
    fn step<L: Lanes>(block: &Block<L>, x: &[i32; 8], rounding: &Rounding, sum: L::Floats) -> L::Floats {
        let scale = L::times(block.scale, L::splat(rounding.scale));
        if MINIMUM {
            let sum = L::fused(L::float(Self::dot(block, x)), scale, sum);
            L::fused(block.minimum, L::splat(rounding.total), sum)
        } else {
            let dot = L::less(Self::dot(block, x), Self::OFFSET * rounding.sum);
            L::fused(L::float(dot), scale, sum)
        }
    }
}

impl<const FIFTH: bool, const MINIMUM: bool> Format for Nibbles<FIFTH, MINIMUM> {
    const COLUMNS: usize = 32;
    const BYTES: usize = 16 + if FIFTH { 4 } else { 0 } + if MINIMUM { 4 } else { 2 };
    type Activations = Rounded<8>;

    fn pack(rows: [&[u8]; ROWS], block: &mut [u8]) {
        let head = if MINIMUM { 4 } else { 2 };
        for (row, bytes) in rows.into_iter().enumerate() {
            let (scales, quants) = bytes.split_at(head);
            let (fifths, nibbles) = quants.split_at(if FIFTH { 4 } else { 0 });
            for (at, byte) in nibbles.iter().enumerate() {
                // a byte of the file has columns `at` and `at + 16`: quads that are four apart, as here
                block[at / 4 * 32 + row * 4 + at % 4] = *byte;
            }
            for column in 0..fifths.len() * 8 {
                let bit = fifths[column / 8] >> (column % 8) & 1;
                block[128 + row * 4 + column % 4] |= bit << (column / 4);
            }
            for (at, pair) in scales.as_chunks::<2>().0.iter().enumerate() {
                block[Self::QUANTS + at * 16 + row * 2..][..2].copy_from_slice(pair);
            }
        }
    }

    fn unpack(block: &[u8], row: usize, out: &mut [f32]) {
        let float = |at: usize| f16::from_le_bytes([block[at], block[at + 1]]).to_f32();
        let scale = float(Self::QUANTS + row * 2);
        let minimum = if MINIMUM { float(Self::QUANTS + 16 + row * 2) } else { 0.0 };
        for (column, out) in out.iter_mut().enumerate() {
            let (quad, byte) = (column / 4, row * 4 + column % 4);
            let nibble = block[quad % 4 * 32 + byte] >> (quad / 4 * 4) & 15;
            let fifth = if FIFTH { block[128 + byte] >> quad & 1 } else { 0 };
            let integer = i32::from(nibble | fifth << 4) - Self::OFFSET;
            *out = integer as f32 * scale + minimum;
        }
    }

    #[inline]
    fn one<L: Lanes>(panels: &[u8], x: &Rounded<8>, sums: &mut [[f32; ROWS]]) {
        for (panel, out) in panels.chunks_exact(panels.len() / sums.len()).zip(sums) {
            let mut sum = L::splat(0.0);
            for (block, (x, rounding)) in panel.chunks_exact(block_bytes::<Self>()).zip(x.blocks(0..1)) {
                L::prefetch(block);
                sum = Self::step::<L>(&Self::read(block), &x[0], &rounding[0], sum);
            }
            *out = L::array(sum);
        }
    }

    #[inline]
    fn many<L: Lanes>(panels: &[&[u8]], x: &Rounded<8>, tokens: Range<usize>, sums: &mut [GroupSums]) {
        for (at, panel) in panels.iter().enumerate() {
            let blocks = panel.chunks_exact(block_bytes::<Self>());
            for (block, (x, roundings)) in blocks.zip(x.blocks(tokens.clone())) {
                let block = Self::read::<L>(block);
                for ((x, rounding), sums) in x.iter().zip(roundings).zip(sums.iter_mut()) {
                    let sum = &mut sums[at % GROUP];
                    *sum = L::array(Self::step(&block, x, rounding, L::floats(sum)));
                }
            }
        }
    }
}
