//! Whether some arms were clipped more often than others (method, line 15): a cell that causes its own
//! stalls would be flattered by the robust fit.

use super::fit::Fit;
use super::layout::Observation;
use super::order::{generator, shuffle};

/// Below this p the report warns that clipped shares differ.
pub const CLIPPING_ALPHA: f64 = 0.01;
const MAX_PERMUTATIONS: usize = 9_999;
/// Large plans get fewer permutations: about this many moves in all.
const MOVES: usize = 100_000_000;

/// Permutation p for "all arms are equally prone to clipped runs": clipped counts are dealt out anew among
/// the arms of each sub-block, and the sum of squares of the arms' totals is compared.
///
/// `observations` are those that `fit` was made from. 1 when nothing was clipped.
pub fn clipping_p(fit: &Fit, observations: &[Observation], seed: u64) -> f64 {
    let mut counts = counts_by_sub_block(fit, observations);
    let observed = sum_of_squares(&counts, fit.arms.len());
    if observed == 0 {
        return 1.0;
    }
    let permutations = (MOVES / observations.len().max(1)).clamp(999, MAX_PERMUTATIONS);
    let mut random = generator(seed, 2);
    let mut extreme = 1;
    for _ in 0..permutations {
        for sub_block in &mut counts {
            shuffle(&mut sub_block.clipped, &mut random);
        }
        extreme += usize::from(sum_of_squares(&counts, fit.arms.len()) >= observed);
    }
    extreme as f64 / (permutations + 1) as f64
}

/// The arms of one sub-block and how many of their runs were clipped, index by index.
#[derive(Default)]
struct SubBlockCounts {
    arms: Vec<usize>,
    clipped: Vec<u32>,
}

fn counts_by_sub_block(fit: &Fit, observations: &[Observation]) -> Vec<SubBlockCounts> {
    let mut counts: Vec<SubBlockCounts> = Vec::new();
    counts.resize_with(fit.layout.sub_blocks.len(), SubBlockCounts::default);
    for (observation, &clipped) in observations.iter().zip(&fit.clipped) {
        let sub_block = &mut counts[observation.sub_block];
        let known = sub_block.arms.iter().position(|&arm| arm == observation.arm);
        let place = known.unwrap_or_else(|| {
            sub_block.arms.push(observation.arm);
            sub_block.clipped.push(0);
            sub_block.arms.len() - 1
        });
        sub_block.clipped[place] += u32::from(clipped);
    }
    counts
}

fn sum_of_squares(counts: &[SubBlockCounts], arms: usize) -> u64 {
    let mut totals = vec![0_u64; arms];
    for sub_block in counts {
        for (&arm, &clipped) in sub_block.arms.iter().zip(&sub_block.clipped) {
            totals[arm] += u64::from(clipped);
        }
    }
    totals.iter().map(|total| total * total).sum()
}
