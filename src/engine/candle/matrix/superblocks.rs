//! `q4_k`, `q5_k`, `q6_k`: blocks of 256 weights, in parts whose scales are integers themselves.

use super::activations::{Long, Rounded};
use super::format::{Format, GROUP, GroupSums, ROWS, float_at};
use super::quads::{QUADS, Quads, raised, signed};
use super::stored_superblock::{PARTS, StoredSuperblock, WIDTH};
use crate::engine::candle::lanes::Lanes;
use std::array::from_fn;
use std::ops::Range;

/// Weights of `4 + HIGH` bits. Of 4 and 5 bits they are `scale * s * q - least * m` with integers `s` and `m` for each 32
/// columns; of 6 bits they are `scale * s * (q - 32)` with an integer `s` for each 16 columns.
///
/// A panel's block: the quads of each 32 columns; `s`, two of each row together; `m`, likewise; the scales of the eight
/// rows; `least` of the rows.
pub(super) struct Superblocks<const HIGH: usize>;

/// Panels that are multiplied at once: unpacked, they fill half of the first-level cache.
const ABREAST: usize = 4;

/// A panel's block, ready to be multiplied with raised activations.
struct Block<L: Lanes> {
    quads: [[L::Bytes; QUADS]; PARTS],
    factors: [[L::Shorts; 2]; PARTS],
    /// What the dot products are too large by, whatever the activations.
    excess: L::Ints,
    /// What they lack for the sums of the activations.
    lacking: [L::Shorts; PARTS / 2],
    ends: Ends<L>,
}

/// What a row's sum of integers is multiplied with, and what is subtracted.
struct Ends<L: Lanes> {
    minima: [L::Shorts; PARTS / 2],
    scale: L::Floats,
    least: L::Floats,
}

impl<const HIGH: usize> Superblocks<HIGH> {
    /// 6 bits have twice as many scales and no minima.
    const FINE: bool = HIGH == 2;

    /// Bytes of the quads.
    const INTEGERS: usize = PARTS * Quads::<HIGH>::BYTES;

    /// Bytes of `s` and `m`.
    const SCALES: usize = 16 * PARTS;

    #[inline(always)]
    fn quads(block: &[u8], part: usize) -> &[u8] {
        &block[part * Quads::<HIGH>::BYTES..][..Quads::<HIGH>::BYTES]
    }

    /// Pairs of `s`, then pairs of `m`.
    #[inline(always)]
    fn pair<L: Lanes>(block: &[u8], at: usize) -> L::Shorts {
        L::shorts(&block[Self::INTEGERS..].as_chunks::<16>().0[at])
    }

    /// `s` for the quads 0 to 3 and for the quads 4 to 7 of a part.
    #[inline(always)]
    fn factors<L: Lanes>(block: &[u8], part: usize) -> [L::Shorts; 2] {
        if Self::FINE {
            let pair = Self::pair::<L>(block, part);
            return [L::first(pair), L::second(pair)];
        }
        let pair = Self::pair::<L>(block, part / 2);
        [if part.is_multiple_of(2) { L::first(pair) } else { L::second(pair) }; 2]
    }

    #[inline(always)]
    fn ends<L: Lanes>(block: &[u8]) -> Ends<L> {
        let scales = block[Self::INTEGERS + Self::SCALES..].as_chunks::<16>().0;
        Ends {
            minima: from_fn(|at| Self::pair::<L>(block, PARTS / 2 + at)),
            scale: L::f16s(&scales[0]),
            least: if Self::FINE { L::splat(0.0) } else { L::f16s(&scales[1]) },
        }
    }

    #[inline(always)]
    fn read<L: Lanes>(block: &[u8]) -> Block<L> {
        let zero = raised::<L>(&[0; QUADS]);
        let quads: [_; PARTS] = from_fn(|part| Quads::<HIGH>::read_lowered::<L>(Self::quads(block, part)));
        let factors: [_; PARTS] = from_fn(|part| Self::factors::<L>(block, part));
        let mut excess = L::splat_int(0);
        for (quads, factors) in quads.iter().zip(factors) {
            let part = Quads::<HIGH>::sum::<L>(|quad| L::quads(zero[quad], quads[quad]), factors);
            excess = L::add(excess, part);
        }
        let middle = i16::from(Quads::<HIGH>::MIDDLE);
        let lacking = from_fn(|at| L::times_short(Self::pair::<L>(block, at), middle));
        Block { quads, factors, excess, lacking, ends: Self::ends(block) }
    }

    /// Adds a block's product with a token to `sum`; `dot` has the products of the integers.
    #[inline(always)]
    fn finish<L: Lanes>(ends: &Ends<L>, dot: L::Ints, x: &Long, sum: L::Floats) -> L::Floats {
        let sum = L::fused(L::float(dot), L::times(ends.scale, L::splat(x.scale)), sum);
        if Self::FINE {
            return sum;
        }
        let minima = with_sums::<L>(L::splat_int(0), &ends.minima, &x.of_32);
        L::fused(L::float(minima), L::times(ends.least, L::splat(-x.scale)), sum)
    }

    /// One token and a block of several panels. The activations of a part stay in registers, as the unsigned factors, and
    /// the weights come from the first-level cache.
    #[inline(always)]
    fn group<L: Lanes>(blocks: &[Block<L>; ABREAST], x: &Long, sums: &mut [[f32; ROWS]; ABREAST]) {
        let mut dots = [L::splat_int(0); ABREAST];
        for part in 0..PARTS {
            let raised = raised::<L>(&x.words[part * QUADS..(part + 1) * QUADS]);
            for (dot, block) in dots.iter_mut().zip(blocks) {
                let product = |quad: usize| L::quads(raised[quad], block.quads[part][quad]);
                *dot = L::add(*dot, Quads::<HIGH>::sum::<L>(product, block.factors[part]));
            }
        }
        for ((dot, block), sum) in dots.iter().zip(blocks).zip(sums) {
            let dot = L::less(*dot, block.excess);
            let dot = if Self::FINE { dot } else { with_sums::<L>(dot, &block.lacking, &x.of_32) };
            *sum = L::array(Self::finish(&block.ends, dot, x, L::floats(sum)));
        }
    }
}

/// Adds the products of pairs of parts with the sums of their activations.
#[inline(always)]
fn with_sums<L: Lanes>(dot: L::Ints, pairs: &[L::Shorts], sums: &[i32]) -> L::Ints {
    pairs.iter().zip(sums).fold(dot, |dot, (pair, sum)| L::add(dot, L::pairs(*pair, L::splat_pair(*sum))))
}

impl<const HIGH: usize> Format for Superblocks<HIGH> {
    const COLUMNS: usize = WIDTH;
    const STORED: usize = StoredSuperblock::bytes(HIGH);
    const BYTES: usize = Self::INTEGERS + Self::SCALES + if Self::FINE { 16 } else { 32 };
    const TILE: usize = 64;
    type Activations = Rounded<Long>;

    fn pack(rows: [&[u8]; ROWS], block: &mut [u8]) {
        let (integers, scales) = block.split_at_mut(Self::INTEGERS);
        for (row, bytes) in rows.into_iter().enumerate() {
            let stored = StoredSuperblock::read(bytes, HIGH);
            for (column, integer) in stored.integers.into_iter().enumerate() {
                let part = &mut integers[column / 32 * Quads::<HIGH>::BYTES..];
                Quads::<HIGH>::put(part, row, column % 32, integer);
            }
            for (at, scale) in stored.scales.into_iter().enumerate() {
                scales[at / 2 * 16 + row * 2 + at % 2] = scale;
            }
            for (at, float) in stored.floats.iter().take(if Self::FINE { 1 } else { 2 }).enumerate() {
                scales[Self::SCALES + at * 16 + row * 2..][..2].copy_from_slice(float);
            }
        }
    }

    fn unpack(block: &[u8], row: usize, out: &mut [f32]) {
        let (integers, scales) = block.split_at(Self::INTEGERS);
        let pair = |at: usize| scales[at / 2 * 16 + row * 2 + at % 2];
        let scale = float_at(scales, Self::SCALES + row * 2);
        for (column, out) in out.iter_mut().enumerate() {
            let part = &integers[column / 32 * Quads::<HIGH>::BYTES..];
            let integer = Quads::<HIGH>::get(part, row, column % 32);
            *out = if Self::FINE {
                let factor = scale * f32::from(pair(column / 16).cast_signed());
                factor * (f32::from(integer) - 32.0)
            } else {
                let least = float_at(scales, Self::SCALES + 16 + row * 2);
                let factor = scale * f32::from(pair(column / 32));
                factor * f32::from(integer) - least * f32::from(pair(PARTS + column / 32))
            };
        }
    }

    #[inline]
    fn one<L: Lanes>(panels: &[u8], x: &Self::Activations, sums: &mut [[f32; ROWS]]) {
        for (panel, out) in panels.chunks_exact(panels.len() / sums.len()).zip(sums) {
            let mut sum = L::splat(0.0);
            for (block, x) in panel.chunks_exact(Self::BYTES).zip(x.blocks(0..1)) {
                let mut dot = L::splat_int(0);
                for part in 0..PARTS {
                    L::prefetch(Self::quads(block, part));
                    let quads = Quads::<HIGH>::read::<L>(Self::quads(block, part));
                    let x = signed::<L>(&x[0].words[part * QUADS..(part + 1) * QUADS]);
                    let product = |quad: usize| L::quads(quads[quad], x[quad]);
                    let factors = Self::factors::<L>(block, part);
                    dot = L::add(dot, Quads::<HIGH>::sum::<L>(product, factors));
                }
                if Self::FINE {
                    let offsets: [_; PARTS] = from_fn(|at| L::times_short(Self::pair::<L>(block, at), -32));
                    dot = with_sums::<L>(dot, &offsets, &x[0].of_16);
                }
                sum = Self::finish(&Self::ends::<L>(block), dot, &x[0], sum);
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
        for (at, x) in x.blocks(tokens).enumerate() {
            for (half, panels) in panels.as_chunks::<ABREAST>().0.iter().enumerate() {
                let blocks = panels.map(|panel| Self::read::<L>(&panel[at * Self::BYTES..][..Self::BYTES]));
                for (x, sums) in x.iter().zip(sums.iter_mut()) {
                    Self::group(&blocks, x, &mut sums.as_chunks_mut::<ABREAST>().0[half]);
                }
            }
        }
    }
}
