//! `q8_0`: blocks of 32 weights of 8 bits with a scale.

use super::activations::{Rounded, Short};
use super::format::{Format, GROUP, GroupSums, ROWS, float_at};
use crate::engine::candle::lanes::Lanes;
use std::array::from_fn;
use std::ops::Range;

/// Weights `scale * q`.
///
/// A panel's block: 16 times the pairs of the eight rows, then the scales of the rows.
pub(super) struct Bytes;

/// Bytes of a panel's block before its scales.
const QUANTS: usize = 256;

/// The pairs of a panel's block.
const PAIRS: usize = 16;

#[inline(always)]
fn read<L: Lanes>(block: &[u8]) -> ([L::Shorts; PAIRS], L::Floats) {
    let parts = block.as_chunks::<16>().0;
    (from_fn(|pair| L::shorts(&parts[pair])), L::f16s(&parts[PAIRS]))
}

/// The integer dot products of half a block.
#[inline(always)]
fn half_dot<L: Lanes>(weights: &[L::Shorts; PAIRS], x: &[L::Shorts; 8], from: usize) -> L::Ints {
    let product = |pair: usize| L::pairs(weights[from + pair], x[pair]);
    let two = |pair: usize| L::add(product(pair), product(pair + 1));
    let four = |pair: usize| L::add(two(pair), two(pair + 2));
    L::add(four(0), four(4))
}

#[inline(always)]
fn half_of<L: Lanes>(x: &[i32; PAIRS], from: usize) -> [L::Shorts; 8] {
    from_fn(|pair| L::splat_pair(x[from + pair]))
}

impl Format for Bytes {
    const COLUMNS: usize = 32;
    const STORED: usize = 34;
    const BYTES: usize = Self::STORED * ROWS;
    const TILE: usize = 64;
    type Activations = Rounded<Short<PAIRS>>;

    fn pack(rows: [&[u8]; ROWS], block: &mut [u8]) {
        for (row, bytes) in rows.into_iter().enumerate() {
            let (scale, quants) = bytes.split_at(2);
            for (pair, bytes) in quants.as_chunks::<2>().0.iter().enumerate() {
                block[pair * 16 + row * 2..][..2].copy_from_slice(bytes);
            }
            block[QUANTS + row * 2..][..2].copy_from_slice(scale);
        }
    }

    fn unpack(block: &[u8], row: usize, out: &mut [f32]) {
        let scale = float_at(block, QUANTS + row * 2);
        for (column, out) in out.iter_mut().enumerate() {
            *out = f32::from(block[column / 2 * 16 + row * 2 + column % 2].cast_signed()) * scale;
        }
    }

    #[inline]
    fn one<L: Lanes>(panels: &[u8], x: &Self::Activations, sums: &mut [[f32; ROWS]]) {
        for (panel, out) in panels.chunks_exact(panels.len() / sums.len()).zip(sums) {
            let mut sum = L::splat(0.0);
            for (block, x) in panel.chunks_exact(Self::BYTES).zip(x.blocks(0..1)) {
                L::prefetch(block);
                let (weights, scale) = read::<L>(block);
                let low = half_dot::<L>(&weights, &half_of::<L>(&x[0].words, 0), 0);
                let dot = L::add(low, half_dot::<L>(&weights, &half_of::<L>(&x[0].words, 8), 8));
                sum = L::fused(L::float(dot), L::times(scale, L::splat(x[0].scale)), sum);
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
            let range = at * Self::BYTES..(at + 1) * Self::BYTES;
            let blocks = panels.map(|panel| read::<L>(&panel[range.clone()]));
            for (x, sums) in x.iter().zip(sums.iter_mut()) {
                group::<L>(&blocks, x, sums);
            }
        }
    }
}

/// One token and a block of all panels of a group. Its activations stay in registers, half a block at a time, and the
/// weights come from the first-level cache.
#[inline(always)]
fn group<L: Lanes>(
    blocks: &[([L::Shorts; PAIRS], L::Floats); GROUP],
    x: &Short<PAIRS>,
    sums: &mut GroupSums,
) {
    let half = half_of::<L>(&x.words, 0);
    let low: [L::Ints; GROUP] = from_fn(|panel| half_dot::<L>(&blocks[panel].0, &half, 0));
    let half = half_of::<L>(&x.words, 8);
    for ((low, (weights, scale)), sum) in low.iter().zip(blocks).zip(sums) {
        let dot = L::add(*low, half_dot::<L>(weights, &half, 8));
        let scale = L::times(*scale, L::splat(x.scale));
        *sum = L::array(L::fused(L::float(dot), scale, L::floats(sum)));
    }
}
