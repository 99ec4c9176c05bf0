//! Two common ways to compare, on the same noise and without any true difference.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::grid::GridEdge;
use super::noise::Timeline;
use crate::stats::{mean, variance};

/// Two single runs are read as different when they are further apart than this (in logarithms).
pub const SINGLE_RUN_READING: f64 = 0.02;

/// False alarms of the two ways.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RivalCounts {
    /// Pairs of identical arms compared by Welch's test.
    pub welch_edges: u64,
    /// Those of them with p below .05.
    pub welch_false: u64,
    /// Plans in which any of them was.
    pub welch_any: u64,
    /// Pairs of identical single runs.
    pub single_pairs: u64,
    /// Those of them more than 2 % apart.
    pub single_false: u64,
}

impl RivalCounts {
    pub(super) fn add(&mut self, other: &Self) {
        self.welch_edges += other.welch_edges;
        self.welch_false += other.welch_false;
        self.welch_any += other.welch_any;
        self.single_pairs += other.single_pairs;
        self.single_false += other.single_false;
    }
}

/// One run of each side (its first in the schedule), read as different beyond 2 %.
pub(super) fn single_runs(edges: &[GridEdge], time: &Timeline, values: &[f64], counts: &mut RivalCounts) {
    let arms = time.arms.iter().max().map_or(0, |arm| arm + 1);
    let mut first = vec![None; arms];
    for (&arm, &value) in time.arms.iter().zip(values) {
        first[arm].get_or_insert(value);
    }
    let differ = |edge: &&GridEdge| match (first[edge.from], first[edge.to]) {
        (Some(from), Some(to)) => f64::abs(to - from) > SINGLE_RUN_READING,
        _ => false,
    };
    counts.single_pairs += edges.len() as u64;
    counts.single_false += edges.iter().filter(differ).count() as u64;
}

/// Welch's test (Welch 1947) of every edge at `alpha`, unadjusted, on `arms[arm]` = its runs.
pub(super) fn welch_tests(edges: &[GridEdge], arms: &[&[f64]], alpha: f64, counts: &mut RivalCounts) {
    let significant =
        edges.iter().filter(|edge| welch_p(arms[edge.from], arms[edge.to]) < alpha).count() as u64;
    counts.welch_edges += edges.len() as u64;
    counts.welch_false += significant;
    counts.welch_any += u64::from(significant > 0);
}

/// Two-sided p of Welch's test of equal means; 1 where it cannot be made.
pub fn welch_p(before: &[f64], after: &[f64]) -> f64 {
    let part = |values: &[f64]| Some((mean(values)?, variance(values)? / values.len() as f64));
    let (Some((mean_before, part_before)), Some((mean_after, part_after))) = (part(before), part(after))
    else {
        return 1.0;
    };
    let squared = part_before + part_after;
    let below = |part: f64, n: usize| part.powi(2) / (n as f64 - 1.0);
    let df = squared.powi(2) / (below(part_before, before.len()) + below(part_after, after.len()));
    let t = -(mean_after - mean_before).abs() / squared.sqrt();
    StudentsT::new(0.0, 1.0, df).map_or(1.0, |distribution| 2.0 * distribution.cdf(t))
}
