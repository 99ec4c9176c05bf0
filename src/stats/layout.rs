//! What was planned and what was observed: the input of every estimate.

use super::order::SubBlock;
use super::summary::mean;

/// One sub-block as it was planned: a number of arms, each run twice in mirrored order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubBlockShape {
    /// The block (replicate of all arms) that it is a part of.
    pub block: usize,
    /// Number of arms; it has twice as many runs.
    pub arms: usize,
    /// The two passes were torn apart (a resume, another boot): each gets a mean of its own.
    pub gap: bool,
}

/// The planned design: how many arms, in which sub-blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Number of arms: the cells and the placebo.
    pub arms: usize,
    /// Number of blocks, each a replicate of all arms.
    pub blocks: usize,
    /// All sub-blocks of all blocks; an [`Observation`] names one by its place in this list.
    pub sub_blocks: Vec<SubBlockShape>,
}

impl Layout {
    /// The layout of blocks as [`block_order`](super::block_order) gives them, without gaps.
    pub fn of_orders<'a>(arms: usize, orders: impl IntoIterator<Item = &'a [SubBlock]>) -> Self {
        let mut layout = Self { arms, blocks: 0, sub_blocks: Vec::new() };
        for order in orders {
            let block = layout.blocks;
            let shapes = order.iter().map(|sub| SubBlockShape { block, arms: sub.arms.len(), gap: false });
            layout.sub_blocks.extend(shapes);
            layout.blocks += 1;
        }
        layout
    }

    /// Marks a sub-block whose two passes were torn apart.
    pub fn mark_gap(&mut self, sub_block: usize) {
        if let Some(shape) = self.sub_blocks.get_mut(sub_block) {
            shape.gap = true;
        }
    }

    /// Mean number of arms in a sub-block.
    pub fn mean_sub_block_size(&self) -> f64 {
        let total: usize = self.sub_blocks.iter().map(|shape| shape.arms).sum();
        total as f64 / self.sub_blocks.len().max(1) as f64
    }
}

/// The difference of two arms in every block that has runs of both: mean of `to` minus mean of `from`, for
/// the exact check of a single edge by [`sign_flip`](super::sign_flip).
pub fn block_differences(layout: &Layout, runs: &[Observation], from: usize, to: usize) -> Vec<f64> {
    let block_mean = |arm: usize, block: usize| {
        let of_block =
            runs.iter().filter(|run| run.arm == arm && layout.sub_blocks[run.sub_block].block == block);
        mean(&of_block.map(|run| run.y).collect::<Vec<f64>>())
    };
    (0..layout.blocks).filter_map(|block| Some(block_mean(to, block)? - block_mean(from, block)?)).collect()
}

/// One run: its place in the plan and its value. Failed runs have no observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Arm number, `0..layout.arms`.
    pub arm: usize,
    /// Index into `layout.sub_blocks`.
    pub sub_block: usize,
    /// Planned position inside the sub-block, `0..2 * arms`: the forward pass first.
    pub position: usize,
    /// The value, usually the natural logarithm of a rate or time (then differences read as per cent).
    pub y: f64,
}
