//! A matrix in panels, and its product with tokens.

use super::activations::{Activations, Long, Plain, Rounded, Short};
use super::format::{Format, GROUP, GroupSums, ROWS};
use super::storage::Storage;
use crate::engine::candle::lanes::{Lanes, Machine};
use candle_core::Result;
use rayon::prelude::*;
use std::cell::Cell;
use std::marker::PhantomData;

/// What can be done with a matrix, whatever its format.
pub(super) trait Product: Send + Sync {
    /// Reads a row.
    fn row(&self, index: usize, out: &mut [f32]) -> Result<()>;
    /// `out = x W^T`.
    fn multiply(&self, x: &[f32], out: &mut [f32]) -> Result<()>;
    /// Where the panels are, if there are any.
    fn storage(&mut self) -> Option<&mut Storage>;
}

/// A matrix in panels; the last one is filled up with zeros.
pub(super) struct Panels<F> {
    rows: usize,
    columns: usize,
    storage: Storage,
    format: PhantomData<F>,
}

thread_local! {
    static SCRATCH: Cell<Scratch> = Cell::new(Scratch::default());
}

/// Memory that products use again and again.
#[derive(Default)]
pub(super) struct Scratch {
    plain: Plain,
    quads: Rounded<Short<8>>,
    pairs: Rounded<Short<16>>,
    long: Rounded<Long>,
    sums: Vec<GroupSums>,
}

/// Activations that have a place in the scratch memory.
pub(super) trait Kept: Activations {
    /// The place.
    fn of(scratch: &mut Scratch) -> &mut Self;
}

macro_rules! kept {
    ($activations:ty, $place:ident) => {
        impl Kept for $activations {
            fn of(scratch: &mut Scratch) -> &mut Self {
                &mut scratch.$place
            }
        }
    };
}

kept!(Plain, plain);
kept!(Rounded<Short<8>>, quads);
kept!(Rounded<Short<16>>, pairs);
kept!(Rounded<Long>, long);

impl<F: Format> Panels<F> {
    /// Packs rows, each given as its blocks in a file.
    pub(super) fn pack(rows: &[&[u8]], columns: usize) -> Self {
        let blocks = columns / F::COLUMNS;
        let size = blocks * F::BYTES;
        let mut bytes = vec![0; rows.len().div_ceil(ROWS) * size];
        let zeros = vec![0; blocks * F::STORED];
        for (rows, panel) in rows.chunks(ROWS).zip(bytes.chunks_exact_mut(size)) {
            let row = |at: usize| rows.get(at).copied().unwrap_or(&zeros);
            for (block, out) in panel.chunks_exact_mut(F::BYTES).enumerate() {
                let range = block * F::STORED..(block + 1) * F::STORED;
                F::pack(std::array::from_fn(|at| &row(at)[range.clone()]), out);
            }
        }
        Self { rows: rows.len(), columns, storage: Storage::Own(bytes), format: PhantomData }
    }

    fn panel_bytes(&self) -> usize {
        self.columns / F::COLUMNS * F::BYTES
    }

    fn one<L: Lanes>(&self, x: &F::Activations, out: &mut [f32]) {
        let size = self.panel_bytes();
        let (whole, last) = out.as_chunks_mut::<ROWS>();
        let (panels, last_panel) = self.storage.bytes().split_at(whole.len() * size);
        let threads = rayon::current_num_threads();
        if threads > 1 {
            let share = whole.len().div_ceil(threads).max(1);
            let panels = panels.par_chunks(share * size);
            panels.zip(whole.par_chunks_mut(share)).for_each(|(panels, sums)| F::one::<L>(panels, x, sums));
        } else if !whole.is_empty() {
            F::one::<L>(panels, x, whole);
        }
        if !last.is_empty() {
            let mut sums = [0.0; ROWS];
            F::one::<L>(last_panel, x, std::array::from_mut(&mut sums));
            last.copy_from_slice(&sums[..last.len()]);
        }
    }

    fn many<L: Lanes>(&self, x: &F::Activations, sums: &mut Vec<GroupSums>, out: &mut [f32]) {
        let tokens = out.len() / self.rows;
        let threads = rayon::current_num_threads();
        let panels: Vec<&[u8]> = self.storage.bytes().chunks_exact(self.panel_bytes()).collect();
        let wave = if threads > 1 { 4 * threads } else { 1 };
        sums.resize(wave * tokens, [[0.0; ROWS]; GROUP]);
        for (at, panels) in panels.chunks(wave * GROUP).enumerate() {
            if threads > 1 {
                let groups = panels.par_chunks(GROUP).zip(sums.par_chunks_mut(tokens));
                groups.for_each(|(panels, sums)| group::<F, L>(panels, x, sums));
            } else {
                group::<F, L>(panels, x, sums);
            }
            let first = at * wave * GROUP * ROWS;
            for (group, sums) in sums.chunks_exact(tokens).take(panels.len().div_ceil(GROUP)).enumerate() {
                self.spread(sums, first + group * GROUP * ROWS, out);
            }
        }
    }

    /// Puts the sums of a group, whose first row is `from`, to their places.
    fn spread(&self, sums: &[GroupSums], from: usize, out: &mut [f32]) {
        let to = self.rows.min(from + GROUP * ROWS);
        for (sums, out) in sums.iter().zip(out.chunks_exact_mut(self.rows)) {
            out[from..to].copy_from_slice(&sums.as_flattened()[..to - from]);
        }
    }

    /// The product with the operations of `L`.
    pub(super) fn product<L: Lanes>(&self, x: &[f32], out: &mut [f32])
    where
        F::Activations: Kept,
    {
        let mut scratch = SCRATCH.take();
        let mut sums = std::mem::take(&mut scratch.sums);
        let activations = <F::Activations as Kept>::of(&mut scratch);
        activations.fill(x, self.columns);
        if x.len() == self.columns {
            self.one::<L>(activations, out);
        } else {
            self.many::<L>(activations, &mut sums, out);
        }
        scratch.sums = sums;
        SCRATCH.set(scratch);
    }
}

/// A group of panels and all tokens.
fn group<F: Format, L: Lanes>(panels: &[&[u8]], x: &F::Activations, sums: &mut [GroupSums]) {
    let tokens = sums.len();
    // where there are fewer, the first one stands in; nobody reads its sums
    let panels = std::array::from_fn(|at| *panels.get(at).unwrap_or(&panels[0]));
    for (at, sums) in sums.chunks_mut(F::TILE).enumerate() {
        sums.fill([[0.0; ROWS]; GROUP]);
        F::many::<L>(&panels, x, at * F::TILE..tokens.min((at + 1) * F::TILE), sums);
    }
}

impl<F: Format> Product for Panels<F>
where
    F::Activations: Kept,
{
    fn row(&self, index: usize, out: &mut [f32]) -> Result<()> {
        let from = index / ROWS * self.panel_bytes();
        let panel = &self.storage.bytes()[from..from + self.panel_bytes()];
        let blocks = panel.chunks_exact(F::BYTES);
        for (block, out) in blocks.zip(out.chunks_exact_mut(F::COLUMNS)) {
            F::unpack(block, index % ROWS, out);
        }
        Ok(())
    }

    fn multiply(&self, x: &[f32], out: &mut [f32]) -> Result<()> {
        self.product::<Machine>(x, out);
        Ok(())
    }

    fn storage(&mut self) -> Option<&mut Storage> {
        Some(&mut self.storage)
    }
}
