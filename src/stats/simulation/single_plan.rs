//! One simulated plan with all its values, and what the statistics say of them: what a report of the same values
//! must say too.

use super::grid::GridEdge;
use super::trial::{ALPHA, Scenario, noise_generator, order_seed, schedule, shifted};
use crate::stats::{Analysis, Estimate, FitError, Judged, NoiseLevel, judge};

/// A simulated plan, judged.
#[derive(Clone, Debug)]
pub struct SimulatedPlan {
    /// Seed of the order of its runs.
    pub order_seed: u64,
    /// Arm of each run in the order of time; the last arm is the placebo.
    pub arms: Vec<usize>,
    /// Natural logarithm of the speed of each run, the effect included.
    pub logs: Vec<f64>,
    /// Every single-factor pair of cells.
    pub edges: Vec<SimulatedEdge>,
    /// The placebo against the baseline.
    pub placebo: Estimate,
    /// The noise floor, in logarithms.
    pub floor: f64,
}

/// An edge of a simulated plan.
#[derive(Clone, Copy, Debug)]
pub struct SimulatedEdge {
    /// Its two cells.
    pub edge: GridEdge,
    /// The true difference, in logarithms.
    pub truth: f64,
    /// What the statistics say, in logarithms.
    pub judged: Judged,
}

impl SimulatedPlan {
    /// Plan number `plan` of a scenario: the one that [`simulate_plan`](super::simulate_plan) counts, with the effect.
    /// # Errors
    /// [`FitError`] where the values cannot be fitted.
    pub fn of(scenario: &Scenario, seed: u64, plan: u64) -> Result<Self, FitError> {
        let order_seed = order_seed(seed, plan);
        let (layout, time, mut runs) = schedule(scenario, order_seed);
        let mut values = Vec::with_capacity(runs.len());
        scenario.noise.fill(&scenario.grid, &time, &mut noise_generator(seed, plan), &mut values);
        for (run, &value) in runs.iter_mut().zip(&values) {
            run.y = value;
        }
        let analysis = Analysis::of(&layout, &runs)?;
        let edges = judged_edges(scenario, &analysis);
        let placebo = analysis.edge(0, scenario.grid.cells());
        Ok(Self {
            order_seed,
            logs: values.iter().zip(&time.arms).map(|(y, &arm)| y + scenario.effect_of(arm)).collect(),
            arms: time.arms,
            floor: NoiseLevel::found(&analysis).floor(layout.blocks, edges.len(), ALPHA),
            edges,
            placebo: placebo.ok_or(FitError::TooFewRuns(runs.len()))?,
        })
    }

    /// The first plan number from `from` on whose order seed is an integer of TOML: those end at 2^63 - 1.
    pub fn next_in_toml(seed: u64, from: u64) -> u64 {
        let fits = |plan: &u64| i64::try_from(order_seed(seed, *plan)).is_ok();
        (from..=u64::MAX).find(fits).unwrap_or(from)
    }
}

fn judged_edges(scenario: &Scenario, analysis: &Analysis) -> Vec<SimulatedEdge> {
    let edges = scenario.grid.edges();
    let truths: Vec<f64> = edges.iter().map(|edge| scenario.truth(*edge)).collect();
    let null: Vec<Estimate> = edges.iter().filter_map(|edge| analysis.edge(edge.from, edge.to)).collect();
    let judged = judge(&shifted(&null, &truths), ALPHA);
    let put = |((edge, truth), judged)| SimulatedEdge { edge, truth, judged };
    edges.into_iter().zip(truths).zip(judged).map(put).collect()
}
