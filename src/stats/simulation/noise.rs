//! The kinds of noise that the method must withstand, as generators (natural logarithm of a speed; 0.01 is
//! one per cent). docs/method.md says how their sizes were chosen.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::grid::Grid;
use super::trace::Trace;

/// Standard deviation of a single run where nothing else is said.
const RUN_SD: f64 = 0.01;
/// Drift over the whole plan.
const DRIFT: f64 = -0.10;
const WALK_RUN_SD: f64 = 0.005;
const WALK_STEP_SD: f64 = 0.004;
/// Autocorrelation at lag 1, and the standard deviation of the whole process.
const AUTOCORRELATION: f64 = 0.8;
const AUTOCORRELATED_SD: f64 = 0.0113;
const STEP_HEIGHT: f64 = 0.08;
/// Chance that a burst begins at a run outside one; its length in runs and its depth are uniform.
const BURST_CHANCE: f64 = 0.058;
const BURST_RUNS: std::ops::RangeInclusive<u32> = 1..=3;
const BURST_DEPTH: std::ops::Range<f64> = 0.05..0.15;
const CARRY_OVER: f64 = -0.02;
const WARM_UP_DEPTH: f64 = -0.05;
/// Time constant of the warm-up, as a share of a block.
const WARM_UP_SHARE: f64 = 0.25;
const NOISY_FACTOR: f64 = 3.0;
const HEAVY_TAIL_DF: i32 = 3;

/// One kind of noise.
#[derive(Clone, Debug, PartialEq)]
pub enum Noise {
    /// Every run by itself: normal, 1 %.
    Independent,
    /// Independent, and a straight drift of -10 % over the whole plan.
    Linear,
    /// Independent 0.5 %, and a random walk with steps of 0.4 %.
    Walk,
    /// Autocorrelated (first order, 0.8), 1.13 %.
    Autocorrelated,
    /// Independent, and one lasting step of 8 % up or down at a random moment.
    Step,
    /// Independent, and slow spells of 1 to 3 runs, 5 to 15 % deep, about one run in ten.
    Bursts,
    /// Independent, and a run after a cell of the first factor's last level is 2 % slower.
    Carry,
    /// Independent, and each block starts cool and slows by 5 %, with a time constant of a quarter block.
    Thermal,
    /// Half of the cells (odd levels of the last factor) three times as noisy as the others.
    Hetero,
    /// Student's t with 3 degrees of freedom and a standard deviation of 1 %.
    HeavyTails,
    /// A window of a recorded trace, at a random start; reflected where the plan is longer.
    Recorded(Trace),
}

/// Where the runs of a plan stand, in the order of time.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// Arm of each run.
    pub arms: Vec<usize>,
    /// Place of each run inside its block, from 0.
    pub in_block: Vec<usize>,
}

impl Noise {
    /// All kinds that are not recorded.
    pub const MADE_UP: [Self; 10] = [
        Self::Independent,
        Self::Linear,
        Self::Walk,
        Self::Autocorrelated,
        Self::Step,
        Self::Bursts,
        Self::Carry,
        Self::Thermal,
        Self::Hetero,
        Self::HeavyTails,
    ];

    /// The name printed in the table.
    pub fn name(&self) -> &str {
        match self {
            Self::Independent => "independent",
            Self::Linear => "linear drift",
            Self::Walk => "random walk",
            Self::Autocorrelated => "autocorrelated",
            Self::Step => "step",
            Self::Bursts => "bursts",
            Self::Carry => "carry-over",
            Self::Thermal => "thermal",
            Self::Hetero => "half noisy",
            Self::HeavyTails => "heavy tails",
            Self::Recorded(trace) => &trace.name,
        }
    }

    /// Fills `values` with one realisation, a value a run.
    pub fn fill(&self, grid: &Grid, time: &Timeline, random: &mut ChaCha8Rng, values: &mut Vec<f64>) {
        let runs = time.arms.len();
        values.clear();
        match self {
            Self::Recorded(trace) => return trace.window(runs, random, values),
            Self::HeavyTails => return values.extend((0..runs).map(|_| heavy_tailed(random))),
            Self::Autocorrelated => return autocorrelated(runs, random, values),
            Self::Walk => return walk(runs, random, values),
            _ => values.extend((0..runs).map(|_| RUN_SD * normal(random))),
        }
        self.disturb(grid, time, random, values);
    }

    /// What some kinds add to independent noise.
    fn disturb(&self, grid: &Grid, time: &Timeline, random: &mut ChaCha8Rng, values: &mut [f64]) {
        let runs = values.len() as f64;
        match self {
            Self::Linear => add(values, |run| DRIFT * run as f64 / runs),
            Self::Step => step(random, values),
            Self::Bursts => bursts(random, values),
            Self::Carry => {
                let last = grid.first_levels() - 1;
                let follows = |run: usize| run > 0 && grid.first_level(time.arms[run - 1]) == last;
                add(values, |run| if follows(run) { CARRY_OVER } else { 0.0 });
            }
            Self::Thermal => {
                let constant = WARM_UP_SHARE * 2.0 * grid.arms() as f64;
                add(values, |run| -WARM_UP_DEPTH * (-(time.in_block[run] as f64) / constant).exp_m1());
            }
            Self::Hetero => {
                for (value, &arm) in values.iter_mut().zip(&time.arms) {
                    *value *= if grid.last_level(arm) % 2 == 1 { NOISY_FACTOR } else { 1.0 };
                }
            }
            _ => {}
        }
    }
}

fn normal(random: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(random)
}

fn add(values: &mut [f64], term: impl Fn(usize) -> f64) {
    for (run, value) in values.iter_mut().enumerate() {
        *value += term(run);
    }
}

/// Student's t from its definition, scaled to the standard deviation of a run.
fn heavy_tailed(random: &mut ChaCha8Rng) -> f64 {
    let df = f64::from(HEAVY_TAIL_DF);
    let chi_square: f64 = (0..HEAVY_TAIL_DF).map(|_| normal(random).powi(2)).sum();
    let t = normal(random) / (chi_square / df).sqrt();
    RUN_SD * t / (df / (df - 2.0)).sqrt()
}

fn autocorrelated(runs: usize, random: &mut ChaCha8Rng, values: &mut Vec<f64>) {
    let fresh = (1.0 - AUTOCORRELATION.powi(2)).sqrt();
    let mut state = normal(random);
    for _ in 0..runs {
        values.push(AUTOCORRELATED_SD * state);
        state = AUTOCORRELATION * state + fresh * normal(random);
    }
}

fn walk(runs: usize, random: &mut ChaCha8Rng, values: &mut Vec<f64>) {
    let mut level = 0.0;
    for _ in 0..runs {
        values.push(level + WALK_RUN_SD * normal(random));
        level += WALK_STEP_SD * normal(random);
    }
}

fn step(random: &mut ChaCha8Rng, values: &mut [f64]) {
    let at = random.random_range(0..values.len());
    let height = if random.random() { STEP_HEIGHT } else { -STEP_HEIGHT };
    add(&mut values[at..], |_| height);
}

fn bursts(random: &mut ChaCha8Rng, values: &mut [f64]) {
    let (mut left, mut depth) = (0, 0.0);
    for value in values.iter_mut() {
        if left == 0 && random.random_bool(BURST_CHANCE) {
            left = random.random_range(BURST_RUNS);
            depth = random.random_range(BURST_DEPTH);
        }
        if left > 0 {
            left -= 1;
            *value -= depth;
        }
    }
}
