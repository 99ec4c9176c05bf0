//! One simulated plan: the real order and the real statistics on made-up noise.

use rand_chacha::ChaCha8Rng;

use super::grid::{Grid, GridEdge};
use super::noise::{Noise, Timeline};
use super::rival::{self, RivalCounts};
use crate::stats::{Analysis, Estimate, Judged, Layout, Observation, block_order, judge};

/// The family-wise error of the simulated plans.
pub const ALPHA: f64 = 0.05;
/// Below this unadjusted p a null edge counts as a raw false alarm.
const RAW_ALPHA: f64 = 0.05;

/// A plan to simulate many times.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The kind of noise.
    pub noise: Noise,
    /// The grid of cells; every single-factor pair is an edge.
    pub grid: Grid,
    /// Number of blocks.
    pub blocks: u32,
    /// Difference in logarithms by which level 1 of the first factor is faster.
    pub effect: f64,
}

impl Scenario {
    /// How much faster an arm is, in logarithms.
    pub(super) fn effect_of(&self, arm: usize) -> f64 {
        if self.grid.first_level(arm) == 1 { self.effect } else { 0.0 }
    }

    /// The true difference along an edge.
    pub(super) fn truth(&self, edge: GridEdge) -> f64 {
        self.effect_of(edge.to) - self.effect_of(edge.from)
    }

    /// In words, for progress and failures.
    pub fn name(&self) -> String {
        format!("{}, {}, {} blocks", self.noise.name(), self.grid.name(), self.blocks)
    }
}

/// What was counted over a number of simulated plans.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Plans simulated (each judged without and with the effect).
    pub plans: u64,
    /// Plans without effect in which any edge was established.
    pub any_false: u64,
    /// Plans with the effect in which any edge without effect was established.
    pub any_false_beside_effect: u64,
    /// Edges without effect, in plans without effect.
    pub null_edges: u64,
    /// Those of them with unadjusted p below .05.
    pub raw_false: u64,
    /// Plans with the effect whose intervals all contain the truth.
    pub covered: u64,
    /// Edges with the effect.
    pub effect_edges: u64,
    /// Those of them established.
    pub found: u64,
    /// Sum of squared errors of the differences of edges without effect.
    pub squared_error: f64,
    /// Placebo edges with unadjusted p below .05.
    pub placebo_failed: u64,
    /// The two common ways to compare, on the same noise.
    pub rival: RivalCounts,
}

impl Counts {
    /// Adds another count.
    pub fn add(&mut self, other: &Self) {
        self.plans += other.plans;
        self.any_false += other.any_false;
        self.any_false_beside_effect += other.any_false_beside_effect;
        self.null_edges += other.null_edges;
        self.raw_false += other.raw_false;
        self.covered += other.covered;
        self.effect_edges += other.effect_edges;
        self.found += other.found;
        self.squared_error += other.squared_error;
        self.placebo_failed += other.placebo_failed;
        self.rival.add(&other.rival);
    }
}

/// Simulates plan number `plan` of a scenario and adds what came of it.
pub fn simulate_plan(scenario: &Scenario, seed: u64, plan: u64, counts: &mut Counts) {
    let edges = scenario.grid.edges();
    let (layout, time, mut runs) = schedule(scenario, order_seed(seed, plan));
    let random = noise_generator(seed, plan);
    let mut values = Vec::with_capacity(runs.len());
    scenario.noise.fill(&scenario.grid, &time, &mut random.clone(), &mut values);
    for (run, &value) in runs.iter_mut().zip(&values) {
        run.y = value;
    }
    let Ok(analysis) = Analysis::of(&layout, &runs) else { return };
    counts.plans += 1;
    count_verdicts(scenario, &edges, &analysis, counts);
    let placebo = analysis.edge(0, scenario.grid.cells());
    counts.placebo_failed += u64::from(placebo.is_some_and(|edge| edge.p() < RAW_ALPHA));
    rival::single_runs(&edges, &time, &values, &mut counts.rival);
    block_ordered(scenario, &edges, random, counts);
}

/// Seed of the order of plan number `plan`.
pub(super) fn order_seed(seed: u64, plan: u64) -> u64 {
    seed ^ plan.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The source of the noise of plan number `plan`.
pub(super) fn noise_generator(seed: u64, plan: u64) -> ChaCha8Rng {
    crate::stats::order::generator(seed, plan)
}

/// The real order of a plan with this seed, as timeline and as observations without values.
pub(super) fn schedule(scenario: &Scenario, seed: u64) -> (Layout, Timeline, Vec<Observation>) {
    let arms = scenario.grid.arms();
    let orders: Vec<_> = (0..scenario.blocks).map(|block| block_order(seed, block, arms)).collect();
    let layout = Layout::of_orders(arms, orders.iter().map(Vec::as_slice));
    let (mut time, mut runs) = (Timeline::default(), Vec::new());
    let mut sub_block = 0;
    for order in &orders {
        let mut in_block = 0;
        for sub in order {
            for (position, arm) in sub.mirrored().enumerate() {
                runs.push(Observation { arm: arm as usize, sub_block, position, y: 0.0 });
                time.arms.push(arm as usize);
                time.in_block.push(in_block);
                in_block += 1;
            }
            sub_block += 1;
        }
    }
    (layout, time, runs)
}

/// An effect added to all runs of an arm moves its centre and nothing else in the fit (a test says so), so it
/// is added to the estimates.
pub(super) fn shifted(estimates: &[Estimate], truths: &[f64]) -> Vec<Estimate> {
    let shift = |(e, truth): (&Estimate, &f64)| Estimate { delta: e.delta + truth, ..*e };
    estimates.iter().zip(truths).map(shift).collect()
}

/// Judges the plan twice on the same noise, without and with the effect.
fn count_verdicts(scenario: &Scenario, edges: &[GridEdge], analysis: &Analysis, counts: &mut Counts) {
    let truths: Vec<f64> = edges.iter().map(|edge| scenario.truth(*edge)).collect();
    let null: Vec<Estimate> = edges.iter().filter_map(|edge| analysis.edge(edge.from, edge.to)).collect();
    let shifted = shifted(&null, &truths);
    counts.squared_error += null.iter().map(|e| e.delta.powi(2)).sum::<f64>();
    let judged = judge(&null, ALPHA);
    counts.any_false += u64::from(judged.iter().any(Judged::is_established));
    counts.null_edges += judged.len() as u64;
    counts.raw_false += judged.iter().filter(|edge| edge.p < RAW_ALPHA).count() as u64;
    let judged: Vec<(Judged, f64)> = judge(&shifted, ALPHA).into_iter().zip(truths).collect();
    let is_null = |truth: f64| truth.abs() < 1e-12;
    counts.covered += u64::from(judged.iter().all(|(edge, truth)| edge.interval.contains(*truth)));
    let wrong = judged.iter().any(|(edge, truth)| is_null(*truth) && edge.is_established());
    counts.any_false_beside_effect += u64::from(wrong);
    let real = judged.iter().filter(|(_, truth)| !is_null(*truth));
    counts.effect_edges += real.clone().count() as u64;
    counts.found += real.filter(|(edge, _)| edge.is_established()).count() as u64;
}

/// The same noise met by a plan that runs each arm to its end before the next begins.
fn block_ordered(scenario: &Scenario, edges: &[GridEdge], mut random: ChaCha8Rng, counts: &mut Counts) {
    let runs_of_arm = 2 * scenario.blocks as usize;
    let runs_of_block = 2 * scenario.grid.arms();
    let total = runs_of_arm * scenario.grid.arms();
    let time = Timeline {
        arms: (0..total).map(|run| run / runs_of_arm).collect(),
        in_block: (0..total).map(|run| run % runs_of_block).collect(),
    };
    let mut values = Vec::with_capacity(total);
    scenario.noise.fill(&scenario.grid, &time, &mut random, &mut values);
    let arms: Vec<&[f64]> = values.chunks(runs_of_arm).collect();
    rival::welch_tests(edges, &arms, RAW_ALPHA, &mut counts.rival);
}
