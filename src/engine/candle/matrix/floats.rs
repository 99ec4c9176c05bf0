//! `f32`, `f16`, `bf16`: weights as numbers of their own.

use super::activations::Plain;
use super::format::{Format, GROUP, GroupSums, ROWS};
use crate::engine::candle::lanes::{Lanes, TILE, accumulate, even};
use half::{bf16, f16};
use std::marker::PhantomData;
use std::ops::Range;

/// A number that a weight is stored as.
pub(super) trait Number: Send + Sync + 'static {
    /// Bytes of a number.
    const BYTES: usize;
    /// Reads the numbers of eight rows.
    fn read<L: Lanes>(from: &[u8]) -> L::Floats;
    /// Reads one.
    fn float(from: &[u8]) -> f32;
}

impl Number for f32 {
    const BYTES: usize = 4;

    #[inline(always)]
    fn read<L: Lanes>(from: &[u8]) -> L::Floats {
        L::f32s(&from.as_chunks().0[0])
    }

    fn float(from: &[u8]) -> f32 {
        f32::from_le_bytes(from.as_chunks().0[0])
    }
}

impl Number for f16 {
    const BYTES: usize = 2;

    #[inline(always)]
    fn read<L: Lanes>(from: &[u8]) -> L::Floats {
        L::f16s(&from.as_chunks().0[0])
    }

    fn float(from: &[u8]) -> f32 {
        f16::from_le_bytes(from.as_chunks().0[0]).to_f32()
    }
}

impl Number for bf16 {
    const BYTES: usize = 2;

    #[inline(always)]
    fn read<L: Lanes>(from: &[u8]) -> L::Floats {
        L::bf16s(&from.as_chunks().0[0])
    }

    fn float(from: &[u8]) -> f32 {
        bf16::from_le_bytes(from.as_chunks().0[0]).to_f32()
    }
}

/// Weights as numbers; a panel has the first column of its rows, then the second one, and so on.
pub(super) struct Floats<N>(PhantomData<N>);

/// Panels whose sums with one token are under way at once, so that additions need not wait for each other.
const ABREAST: usize = 4;

/// Most columns whose weights are widened at once: two panels of them fill half of the first-level cache.
const WIDENED: usize = 288;

impl<N: Number> Format for Floats<N> {
    const COLUMNS: usize = 1;
    const STORED: usize = N::BYTES;
    const BYTES: usize = N::BYTES * ROWS;
    const TILE: usize = 16 * TILE;
    type Activations = Plain;

    fn pack(rows: [&[u8]; ROWS], block: &mut [u8]) {
        for (bytes, out) in rows.into_iter().zip(block.chunks_exact_mut(N::BYTES)) {
            out.copy_from_slice(bytes);
        }
    }

    fn unpack(block: &[u8], row: usize, out: &mut [f32]) {
        out[0] = N::float(&block[row * N::BYTES..(row + 1) * N::BYTES]);
    }

    #[inline]
    fn one<L: Lanes>(panels: &[u8], x: &Plain, sums: &mut [[f32; ROWS]]) {
        let (size, x) = (panels.len() / sums.len(), x.token(0));
        let (quads, rest) = sums.as_chunks_mut::<ABREAST>();
        let (quad_panels, rest_panels) = panels.split_at(quads.len() * ABREAST * size);
        for (panels, sums) in quad_panels.chunks_exact(ABREAST * size).zip(quads) {
            abreast::<N, L, ABREAST>(panels, x, sums);
        }
        for (panel, sum) in rest_panels.chunks_exact(size).zip(rest) {
            abreast::<N, L, 1>(panel, x, std::array::from_mut(sum));
        }
    }

    #[inline]
    fn many<L: Lanes>(panels: &[&[u8]; GROUP], x: &Plain, tokens: Range<usize>, sums: &mut [GroupSums]) {
        let mut wide = [[L::splat(0.0); 2]; WIDENED];
        let columns = panels[0].len() / Self::BYTES;
        let part = columns.div_ceil(columns.div_ceil(WIDENED));
        for (pair, [first, second]) in panels.as_chunks::<2>().0.iter().enumerate() {
            let parts = first.chunks(part * Self::BYTES).zip(second.chunks(part * Self::BYTES));
            for (at, (first, second)) in parts.enumerate() {
                let numbers = first.chunks_exact(Self::BYTES).zip(second.chunks_exact(Self::BYTES));
                for (wide, (first, second)) in wide.iter_mut().zip(numbers) {
                    *wide = [N::read::<L>(first), N::read::<L>(second)];
                }
                let wide = &wide[..first.len() / Self::BYTES];
                tiles::<L>(wide, x, at * part, tokens.clone(), (sums, 2 * pair));
            }
        }
    }
}

/// One token and consecutive panels.
#[inline(always)]
fn abreast<N: Number, L: Lanes, const P: usize>(panels: &[u8], x: &[f32], out: &mut [[f32; ROWS]; P]) {
    const PART: usize = 4;
    let (parts, rest) = x.as_chunks::<PART>();
    let size = panels.len() / P;
    let mut sums = [L::splat(0.0); P];
    let mut panels: [&[u8]; P] = std::array::from_fn(|panel| &panels[panel * size..(panel + 1) * size]);
    for x in parts {
        for (panel, sum) in panels.iter_mut().zip(&mut sums) {
            let (part, after) = panel.split_at(PART * N::BYTES * ROWS);
            L::prefetch(part);
            *sum = columns::<N, L>(part, x, *sum);
            *panel = after;
        }
    }
    for (panel, sum) in panels.iter().zip(&mut sums) {
        *sum = columns::<N, L>(panel, rest, *sum);
    }
    *out = sums.map(L::array);
}

/// Adds a panel's product with a token, column by column.
#[inline(always)]
fn columns<N: Number, L: Lanes>(panel: &[u8], x: &[f32], mut sum: L::Floats) -> L::Floats {
    for (weights, x) in panel.chunks_exact(N::BYTES * ROWS).zip(x) {
        sum = L::fused(N::read::<L>(weights), L::splat(*x), sum);
    }
    sum
}

/// Two panels' widened weights from column `from` on, and all tokens.
#[inline(always)]
fn tiles<L: Lanes>(
    wide: &[[L::Floats; 2]],
    x: &Plain,
    from: usize,
    tokens: Range<usize>,
    (sums, panel): (&mut [GroupSums], usize),
) {
    let columns = from..from + wide.len();
    let size = even(tokens.len());
    for (at, sums) in sums.chunks_mut(size).enumerate() {
        let x = |token: usize| &x.token(tokens.start + at * size + token)[columns.clone()];
        match sums.len() {
            1 => tile::<L, 1>(wide, x, sums, panel),
            2 => tile::<L, 2>(wide, x, sums, panel),
            3 => tile::<L, 3>(wide, x, sums, panel),
            4 => tile::<L, 4>(wide, x, sums, panel),
            5 => tile::<L, 5>(wide, x, sums, panel),
            _ => tile::<L, TILE>(wide, x, sums, panel),
        }
    }
}

/// Two panels and `T` tokens.
#[inline(always)]
fn tile<'x, L: Lanes, const T: usize>(
    wide: &[[L::Floats; 2]],
    x: impl Fn(usize) -> &'x [f32],
    out: &mut [GroupSums],
    panel: usize,
) {
    let mut sums = std::array::from_fn(|token| [panel, panel + 1].map(|panel| L::floats(&out[token][panel])));
    accumulate::<L, T>(wide.len(), |column| wide[column], std::array::from_fn(x), &mut sums);
    for (out, sums) in out.iter_mut().zip(sums) {
        [out[panel], out[panel + 1]] = sums.map(L::array);
    }
}
