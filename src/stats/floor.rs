//! What a plan can see: noise floor, detectable difference, how many more blocks (method, lines 2, 10
//! and 21). Variances are those of an arm's block mean (two runs), on the scale of the observations.

use super::contrast::{Analysis, t_quantile};

/// Below this number of blocks a plan gives intervals only, and establishes nothing.
pub const MIN_BLOCKS: usize = 6;
/// Standard normal quantile for a power of 80 %.
const Z_80: f64 = 0.84;

/// The noise that a prediction is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseLevel {
    /// Variance of one arm's block mean; half the variance of a single run where runs are independent.
    pub variance: f64,
    /// Degrees of freedom behind it.
    pub df: f64,
}

impl NoiseLevel {
    /// The noise level that an analysis has found.
    pub fn found(analysis: &Analysis) -> Self {
        Self { variance: analysis.noise.mean_variance, df: analysis.noise.total_df() }
    }

    /// The noise level that a plan of `arms` arms in `blocks` blocks would have if single runs had the
    /// standard deviation `run_sd`: for the price of a plan, before it runs.
    pub fn assumed(run_sd: f64, arms: usize, blocks: usize) -> Self {
        let sub_blocks = blocks * arms.div_ceil(super::order::MAX_SUB_BLOCK);
        let df = (arms * blocks) as f64 - (arms + sub_blocks) as f64 + 1.0;
        Self { variance: run_sd.powi(2) / 2.0, df: df.max(1.0) }
    }

    /// The noise floor: the smallest difference that this many blocks could have established in a family
    /// of `members` at `alpha`, `t(1 - alpha / 2m) sqrt(2 vbar / B)`.
    pub fn floor(&self, blocks: usize, members: usize, alpha: f64) -> f64 {
        self.critical(members, alpha) * self.standard_error(blocks)
    }

    /// The difference that is established with probability 80 %, `(t + 0.84) sqrt(2 vbar / B)`.
    pub fn detectable(&self, blocks: usize, members: usize, alpha: f64) -> f64 {
        (self.critical(members, alpha) + Z_80) * self.standard_error(blocks)
    }

    /// Number of blocks in all whose simultaneous half-width is at most `half_width`, by the noise seen so
    /// far (the second stage of Stein 1945); at most `cap`.
    pub fn blocks_for_half_width(&self, half_width: f64, members: usize, alpha: f64, cap: usize) -> usize {
        self.blocks_for(half_width, self.critical(members, alpha), cap)
    }

    /// About how many blocks in all would establish a true difference of `delta` four times in five; at
    /// most `cap`.
    pub fn blocks_to_establish(&self, delta: f64, members: usize, alpha: f64, cap: usize) -> usize {
        self.blocks_for(delta.abs(), self.critical(members, alpha) + Z_80, cap)
    }

    fn blocks_for(&self, width: f64, factor: f64, cap: usize) -> usize {
        let blocks = (2.0 * self.variance * (factor / width).powi(2)).ceil();
        if blocks < cap as f64 { (blocks as usize).max(1) } else { cap }
    }

    fn critical(&self, members: usize, alpha: f64) -> f64 {
        t_quantile(alpha / members.max(1) as f64, self.df)
    }

    fn standard_error(&self, blocks: usize) -> f64 {
        (2.0 * self.variance / blocks.max(1) as f64).sqrt()
    }
}
