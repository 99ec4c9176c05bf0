//! The kinds of noise that the method must withstand, as generators (natural logarithm of a speed; 0.01 is
//! one per cent). docs/method.md says how their sizes were chosen.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, StudentT};

use super::grid::Grid;
use super::trace::Trace;

/// One kind of noise.
#[derive(Clone, Debug)]
pub enum Noise {
    /// Every run by itself: normal, 1 %.
    Independent,
    /// Independent, and a straight drift of -10 % over the whole plan.
    Linear,
    /// Independent 0.5 %, and a random walk.
    Walk,
    /// Autocorrelated (first order).
    Autocorrelated,
    /// Independent, and a few lasting steps.
    Step,
    /// Independent, and one-sided slow spells of a few runs.
    Bursts,
    /// Independent, and a run after a cell of the first factor's last level is 2 % slower.
    Carry,
    /// Independent, and each block starts cool: -5 %, saturating.
    Thermal,
    /// Half of the cells (an odd level of the last factor) three times as noisy as the others.
    Hetero,
    /// Student's t with 3 degrees of freedom: heavy tails on both sides.
    T3,
    /// A window of a recorded trace, at a random start; reflected where the plan is longer.
    Recorded(Trace),
}

/// Where the runs of a plan stand: arm and block of every run, in the order of time.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// Arm of each run.
    pub arms: Vec<usize>,
    /// Place of each run inside its block, from 0.
    pub in_block: Vec<usize>,
}

pub(super) struct Sizes;

impl Sizes {
    pub(super) const RUN: f64 = 0.01;
}

impl Noise {
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
            Self::Hetero => "hetero",
            Self::T3 => "t3",
            Self::Recorded(trace) => &trace.name,
        }
    }

    /// Fills `values` with one realisation, a value a run.
    pub fn fill(&self, grid: &Grid, time: &Timeline, random: &mut ChaCha8Rng, values: &mut Vec<f64>) {
        let runs = time.arms.len();
        values.clear();
        match self {
            Self::Recorded(trace) => return trace.window(runs, random, values),
            Self::T3 => return values.extend(student(runs, random)),
            Self::Autocorrelated => return autocorrelated(runs, random, values),
            Self::Walk => return walk(runs, random, values),
            _ => values.extend((0..runs).map(|_| Sizes::RUN * normal(random))),
        }
        match self {
            Self::Linear => add(values, |run| -0.10 * run as f64 / runs as f64),
            Self::Step => steps(random, values),
            Self::Bursts => bursts(random, values),
            Self::Carry => {
                let last = grid.first_levels() - 1;
                add(values, |run| {
                    if run > 0 && grid.first_level(time.arms[run - 1]) == last { -0.02 } else { 0.0 }
                });
            }
            Self::Thermal => {
                add(values, |run| -0.05 * -(-(time.in_block[run] as f64) / par("TAU", 10.0)).exp_m1())
            }
            Self::Hetero => {
                for (value, &arm) in values.iter_mut().zip(&time.arms) {
                    *value *= if grid.last_level(arm) % 2 == 1 { 3.0 } else { 1.0 };
                }
            }
            _ => {}
        }
    }
}

pub fn par(name: &str, default: f64) -> f64 {
    use std::collections::HashMap;
    use std::sync::{Mutex, OnceLock};
    static C: OnceLock<Mutex<HashMap<String, f64>>> = OnceLock::new();
    let mut c = C.get_or_init(Default::default).lock().unwrap();
    *c.entry(name.into())
        .or_insert_with(|| std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default))
}

fn normal(random: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(random)
}

fn add(values: &mut [f64], term: impl Fn(usize) -> f64) {
    for (run, value) in values.iter_mut().enumerate() {
        *value += term(run);
    }
}

fn student(runs: usize, random: &mut ChaCha8Rng) -> Vec<f64> {
    let t = StudentT::new(3.0).unwrap();
    (0..runs).map(|_| par("T3", 0.00577) * t.sample(random)).collect()
}

fn autocorrelated(runs: usize, random: &mut ChaCha8Rng, values: &mut Vec<f64>) {
    let rho = par("RHO", 0.7);
    let sd = par("AR", 0.01);
    let mut state = normal(random);
    for _ in 0..runs {
        values.push(sd * state);
        state = rho * state + (1.0 - rho * rho).sqrt() * normal(random);
    }
}

fn walk(runs: usize, random: &mut ChaCha8Rng, values: &mut Vec<f64>) {
    let (iid, step) = (par("WI", 0.005), par("WS", 0.005));
    let mut level = 0.0;
    for _ in 0..runs {
        values.push(level + iid * normal(random));
        level += step * normal(random);
    }
}

fn steps(random: &mut ChaCha8Rng, values: &mut [f64]) {
    for _ in 0..par("SN", 3.0) as usize {
        let at = random.random_range(0..values.len());
        let height = par("SH", 0.05) * if random.random::<bool>() { 1.0 } else { -1.0 };
        for value in &mut values[at..] {
            *value += height;
        }
    }
}

fn bursts(random: &mut ChaCha8Rng, values: &mut [f64]) {
    let mut left = 0;
    let mut depth = 0.0;
    for value in values.iter_mut() {
        if left == 0 && random.random::<f64>() < par("BP", 0.03) {
            left = random.random_range(1..=par("BL", 6.0) as usize);
            depth = random.random_range(0.05..par("BD", 0.15));
        }
        if left > 0 {
            left -= 1;
            *value -= depth;
        }
    }
}
