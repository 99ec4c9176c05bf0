//! The robust common fit of all runs of one metric (method, lines 3 and 4).

use super::design::{Design, Place};
use super::layout::{Layout, Observation};
use super::summary::{MAD_TO_SD, median_in_place};

/// Huber's tuning constant: residuals beyond this many scales are clipped (Huber 1964).
pub const HUBER_K: f64 = 1.5;
const ROUNDS: usize = 25;
/// Weight, in runs, of the common scale when it is blended with an arm's own.
const SCALE_PRIOR_RUNS: f64 = 24.0;
/// Weight, in runs, of the common share of unclipped runs.
const SHARE_PRIOR_RUNS: f64 = 6.0;
/// An arm that lost more than this share of its planned runs is not judged.
pub const MAX_MISSING_SHARE: f64 = 0.2;

/// Why a fit could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// An observation names an arm, sub-block or position that the layout does not have.
    #[error("observation {0} lies outside the layout (arm, sub-block or position too large)")]
    OutsideLayout(usize),
    /// A value is infinite or not a number.
    #[error("observation {0} is not a finite number")]
    NotFinite(usize),
    /// Every arm repeated one identical value (or all noise is zero): nothing is random here.
    #[error("the values did not vary over the runs of any arm: there is no noise to judge by")]
    DidNotVary,
    /// Fewer block means than parameters: no degree of freedom is left for the noise.
    #[error("too few runs: {0} block means leave no degree of freedom for the noise")]
    TooFewRuns(usize),
}

/// What the common fit says of one arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmFit {
    /// Runs that were planned (two a block).
    pub planned: usize,
    /// Runs that were observed.
    pub runs: usize,
    /// Runs whose residual was clipped.
    pub clipped: usize,
    /// Robust typical value, on the scale of `y` after the common drift; `None` without any run.
    pub center: Option<f64>,
    /// Plain mean of the same drift-corrected runs, nothing clipped; `None` without any run.
    pub plain_mean: Option<f64>,
    /// Scale of one run (robust, blended with that of all arms), on the scale of `y`.
    pub scale: f64,
    /// Blended share of runs that were not clipped, the divisor of the clipped residuals.
    pub weight: f64,
}

impl ArmFit {
    /// Whether more than 20 % of the planned runs are missing: report it, do not judge it.
    pub fn is_incomplete(&self) -> bool {
        (self.planned - self.runs) as f64 > MAX_MISSING_SHARE * self.planned as f64
    }

    /// Share of the observed runs that were clipped.
    pub fn clipped_share(&self) -> f64 {
        self.clipped as f64 / self.runs.max(1) as f64
    }
}

/// The common fit `y = f[sub-block] + l[sub-block] t + c[arm] + r` of all runs.
#[derive(Clone, Debug)]
pub struct Fit {
    /// One entry an arm.
    pub arms: Vec<ArmFit>,
    /// Robust standard deviation of a single run, over all arms.
    pub scale: f64,
    /// Residual of every observation, in their order.
    pub residuals: Vec<f64>,
    /// Whether the observation was clipped, in the same order.
    pub clipped: Vec<bool>,
    /// Inflation K of the noise for having clipped (Huber 1981, section 7.6).
    pub inflation: f64,
    pub(super) layout: Layout,
    /// Sub-blocks with at least one run.
    pub(super) occupied_sub_blocks: usize,
    /// Clipped residuals of each arm and block, averaged over its runs and divided by the arm's weight.
    pub(super) block_means: Vec<BlockMean>,
}

/// The mean clipped residual of one arm in one block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockMean {
    pub(super) runs: u32,
    pub(super) value: f64,
}

/// Fits all runs of one metric at once. A failed run is simply absent from `observations`.
///
/// Every sub-block has a mean and a slope over its positions, every arm a centre; Huber's clipping
/// acts on single runs. A sub-block with a gap has one mean for each pass and one slope inside them.
/// # Errors
/// See [`FitError`].
pub fn fit(layout: &Layout, observations: &[Observation]) -> Result<Fit, FitError> {
    let design = Design::new(layout, observations)?;
    let mut state = State::start(&design);
    for _ in 0..ROUNDS {
        state.update_sub_blocks(&design);
        state.update_centers(&design);
        state.update_scales(&design);
        if state.scale <= 0.0 {
            return Err(FitError::DidNotVary);
        }
        state.clip(&design);
    }
    state.level(&design);
    Ok(state.finish(layout, &design))
}

struct State {
    /// Clipped values: `y` with each residual cut to its bounds.
    z: Vec<f64>,
    residuals: Vec<f64>,
    means: Vec<f64>,
    slopes: Vec<f64>,
    centers: Vec<f64>,
    scale: f64,
    arm_scales: Vec<f64>,
    scratch: Vec<f64>,
}

impl State {
    fn start(design: &Design) -> Self {
        let mut state = Self {
            z: design.y.clone(),
            residuals: vec![0.0; design.y.len()],
            means: vec![0.0; design.mean_runs.len()],
            slopes: vec![0.0; design.slope_squares.len()],
            centers: vec![0.0; design.arms()],
            scale: 0.0,
            arm_scales: vec![0.0; design.arms()],
            scratch: Vec::with_capacity(design.y.len()),
        };
        state.update_centers(design);
        state
    }

    /// Means, then slopes, each given everything else. With complete mirrored sub-blocks the slope
    /// drops out of the mean and of the centres exactly; with missing runs the rounds converge on it.
    fn update_sub_blocks(&mut self, design: &Design) {
        self.means.fill(0.0);
        for (i, place) in design.places.iter().enumerate() {
            self.means[place.mean] +=
                self.z[i] - self.centers[place.arm] - self.slopes[place.slope] * place.t;
        }
        divide(&mut self.means, &design.mean_runs);
        self.slopes.fill(0.0);
        for (i, place) in design.places.iter().enumerate() {
            self.slopes[place.slope] +=
                (self.z[i] - self.centers[place.arm] - self.means[place.mean]) * place.t;
        }
        divide(&mut self.slopes, &design.slope_squares);
    }

    fn update_centers(&mut self, design: &Design) {
        self.centers.fill(0.0);
        for (i, place) in design.places.iter().enumerate() {
            self.centers[place.arm] +=
                self.z[i] - self.means[place.mean] - self.slopes[place.slope] * place.t;
        }
        divide(&mut self.centers, &design.arm_runs);
        for (i, place) in design.places.iter().enumerate() {
            let drift = self.means[place.mean] + self.slopes[place.slope] * place.t;
            self.residuals[i] = design.y[i] - drift - self.centers[place.arm];
        }
    }

    fn update_scales(&mut self, design: &Design) {
        self.scale = robust_scale(&mut self.scratch, self.residuals.iter().copied());
        for arm in 0..design.arms() {
            let of_arm = design.runs_of(arm).iter().map(|&i| self.residuals[i]);
            let own = MAD_TO_SD * median_absolute(&mut self.scratch, of_arm);
            let runs = design.arm_runs[arm];
            let blended =
                (SCALE_PRIOR_RUNS * self.scale.powi(2) + runs * own.powi(2)) / (SCALE_PRIOR_RUNS + runs);
            self.arm_scales[arm] = blended.sqrt();
        }
    }

    fn clip(&mut self, design: &Design) {
        for (i, place) in design.places.iter().enumerate() {
            let bound = HUBER_K * self.arm_scales[place.arm];
            self.z[i] = design.y[i] - self.residuals[i] + self.residuals[i].clamp(-bound, bound);
        }
    }

    /// Means and centres share one constant, which the rounds leave where it fell: here it goes to the
    /// centres, so that they read as values of `y` at the average moment of the plan.
    fn level(&mut self, design: &Design) {
        let drift = |place: &Place| self.means[place.mean] + self.slopes[place.slope] * place.t;
        let average = design.places.iter().map(drift).sum::<f64>() / design.places.len() as f64;
        self.centers.iter_mut().for_each(|center| *center += average);
        self.means.iter_mut().for_each(|mean| *mean -= average);
    }

    fn finish(self, layout: &Layout, design: &Design) -> Fit {
        let clipped: Vec<bool> = design
            .places
            .iter()
            .zip(&self.residuals)
            .map(|(place, r)| r.abs() >= HUBER_K * self.arm_scales[place.arm])
            .collect();
        let runs = clipped.len() as f64;
        let share = clipped.iter().filter(|&&clipped| !clipped).count() as f64 / runs;
        let arms: Vec<ArmFit> =
            (0..design.arms()).map(|arm| self.arm(layout, design, arm, &clipped, share)).collect();
        let block_means = self.block_means(layout, design, &arms);
        let inflation = 1.0 + design.parameters / runs * (1.0 - share) / share;
        Fit {
            arms,
            scale: self.scale,
            residuals: self.residuals,
            clipped,
            inflation,
            layout: layout.clone(),
            occupied_sub_blocks: design.occupied_sub_blocks,
            block_means,
        }
    }

    fn arm(&self, layout: &Layout, design: &Design, arm: usize, clipped: &[bool], share: f64) -> ArmFit {
        let own = design.runs_of(arm);
        let (runs, cut) = (own.len(), own.iter().filter(|&&i| clipped[i]).count());
        let mean_residual = own.iter().map(|&i| self.residuals[i]).sum::<f64>() / runs as f64;
        let center = (runs > 0).then_some(self.centers[arm]);
        ArmFit {
            planned: 2 * layout.blocks,
            runs,
            clipped: cut,
            center,
            plain_mean: center.map(|center| center + mean_residual),
            scale: self.arm_scales[arm],
            weight: ((runs - cut) as f64 + SHARE_PRIOR_RUNS * share) / (runs as f64 + SHARE_PRIOR_RUNS),
        }
    }

    fn block_means(&self, layout: &Layout, design: &Design, arms: &[ArmFit]) -> Vec<BlockMean> {
        let mut means = vec![BlockMean::default(); layout.blocks * layout.arms];
        for (i, place) in design.places.iter().enumerate() {
            let arm = &arms[place.arm];
            let bound = HUBER_K * arm.scale;
            let mean = &mut means[place.block * layout.arms + place.arm];
            mean.runs += 1;
            mean.value += self.residuals[i].clamp(-bound, bound) / arm.weight;
        }
        for mean in &mut means {
            mean.value /= f64::from(mean.runs.max(1));
        }
        means
    }
}

fn divide(sums: &mut [f64], counts: &[f64]) {
    for (sum, &count) in sums.iter_mut().zip(counts) {
        *sum = if count > 0.0 { *sum / count } else { 0.0 };
    }
}

fn median_absolute(scratch: &mut Vec<f64>, values: impl Iterator<Item = f64>) -> f64 {
    scratch.clear();
    scratch.extend(values.map(f64::abs));
    median_in_place(scratch).unwrap_or(0.0)
}

/// 1.4826 times the median absolute residual; where more than half of the residuals are exactly zero,
/// the mean absolute residual on the same (normal) footing instead.
fn robust_scale(scratch: &mut Vec<f64>, values: impl Iterator<Item = f64> + Clone) -> f64 {
    let scale = MAD_TO_SD * median_absolute(scratch, values);
    if scale > 0.0 {
        return scale;
    }
    let mean = scratch.iter().sum::<f64>() / scratch.len().max(1) as f64;
    mean * (std::f64::consts::PI / 2.0).sqrt()
}
