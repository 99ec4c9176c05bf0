//! The noise of every arm, and its moderation towards their mean (method, lines 5 and 6).

use super::fit::{ArmFit, Fit, FitError};
use super::order::MAX_SUB_BLOCK;
use super::polygamma::{pentagamma, trigamma, trigamma_inverse};
use super::summary::{mean, median, variance};

/// The noise of the arms' block means, each arm by itself.
#[derive(Clone, Debug)]
pub struct ArmNoise {
    /// Variance of one block mean (two runs) of each arm; 0 for an arm without runs.
    pub variances: Vec<f64>,
    /// Whether the arm counts (at most 20 % of its runs missing).
    pub counted: Vec<bool>,
    /// Observed runs of each arm divided by two: the number of block means that its centre averages.
    pub effective_blocks: Vec<f64>,
    /// Mean of the counted variances.
    pub mean_variance: f64,
    /// Degrees of freedom of one arm's variance.
    pub df: f64,
}

impl ArmNoise {
    fn counted_variances(&self) -> Vec<f64> {
        self.variances.iter().zip(&self.counted).filter(|(_, counted)| **counted).map(|(v, _)| *v).collect()
    }

    /// Degrees of freedom of all counted arms together.
    pub fn total_df(&self) -> f64 {
        self.df * self.counted.iter().filter(|&&counted| counted).count() as f64
    }
}

/// Variances that borrow strength from one another.
#[derive(Clone, Debug)]
pub struct Moderated {
    /// Moderated variance of one block mean of each arm.
    pub variances: Vec<f64>,
    /// Weight of the common variance, in degrees of freedom; infinite where the arms do not differ.
    pub prior_df: f64,
    /// Degrees of freedom of one moderated variance.
    pub df: f64,
    /// Degrees of freedom of all arms together: no estimate has more.
    pub max_df: f64,
}

/// The variance of each arm's block means from the clipped residuals of the common fit.
///
/// A block mean of one run (the other is missing) counts half. Its degrees of freedom are shared out
/// in proportion to an arm's runs.
/// # Errors
/// [`FitError::TooFewRuns`] when no degree of freedom is left, or no arm has enough runs to count.
pub fn arm_noise(fit: &Fit) -> Result<ArmNoise, FitError> {
    let observed = fit.block_means.iter().filter(|mean| mean.runs > 0).count();
    let arms_with_runs = fit.arms.iter().filter(|arm| arm.runs > 0).count() as f64;
    let df = (observed as f64 - arms_with_runs - fit.occupied_sub_blocks as f64 + 1.0) / arms_with_runs;
    let counted: Vec<bool> = fit.arms.iter().map(|arm| !arm.is_incomplete()).collect();
    if df <= 0.0 || !counted.contains(&true) {
        return Err(FitError::TooFewRuns(observed));
    }
    let factor = fit.inflation.powi(2) / efficiency(fit);
    let variances = (0..fit.arms.len()).map(|arm| factor * own_variance(fit, arm, df)).collect();
    let effective_blocks = fit.arms.iter().map(|arm| arm.runs as f64 / 2.0).collect();
    let mut noise = ArmNoise { variances, counted, effective_blocks, mean_variance: 0.0, df };
    noise.mean_variance = mean(&noise.counted_variances()).unwrap_or(0.0);
    if noise.mean_variance > 0.0 { Ok(noise) } else { Err(FitError::DidNotVary) }
}

/// Share of the information on a difference that is left when a block is cut into sub-blocks (an
/// incomplete-block design; Yates 1936): arms of different sub-blocks are compared across their means.
fn efficiency(fit: &Fit) -> f64 {
    let arms = fit.layout.arms;
    if arms <= MAX_SUB_BLOCK {
        return 1.0;
    }
    (1.0 - 1.0 / fit.layout.mean_sub_block_size()) / (1.0 - 1.0 / arms as f64)
}

fn own_variance(fit: &Fit, arm: usize, df: f64) -> f64 {
    let ArmFit { runs, planned, .. } = fit.arms[arm];
    if runs == 0 {
        return 0.0;
    }
    let means = fit.block_means.iter().skip(arm).step_by(fit.layout.arms);
    let squares: f64 = means.map(|mean| f64::from(mean.runs) / 2.0 * mean.value.powi(2)).sum();
    squares / (df * runs as f64 / planned as f64)
}

/// Moderates the variances towards their mean, with the weight that they themselves suggest (Smyth
/// 2004), taken one standard error on the careful side: a spread that could be chance still counts partly
/// as real.
pub fn moderate(noise: &ArmNoise) -> Moderated {
    let prior_df = prior_df(noise);
    let moderated = |&own: &f64| {
        if prior_df.is_infinite() {
            noise.mean_variance
        } else {
            (prior_df * noise.mean_variance + noise.df * own) / (prior_df + noise.df)
        }
    };
    Moderated {
        variances: noise.variances.iter().map(moderated).collect(),
        prior_df,
        df: (prior_df + noise.df).min(noise.total_df()),
        max_df: noise.total_df(),
    }
}

fn prior_df(noise: &ArmNoise) -> f64 {
    let variances = noise.counted_variances();
    // An arm that happened to repeat one value would have an infinite logarithm; limma's floor.
    let floor = 1e-5 * median(&variances).unwrap_or(0.0).max(f64::MIN_POSITIVE);
    let logs: Vec<f64> = variances.iter().map(|v| v.max(floor).ln()).collect();
    let Some(spread) = variance(&logs) else { return f64::INFINITY };
    let (expected, fourth) = (trigamma(noise.df / 2.0), pentagamma(noise.df / 2.0));
    // The study that chose the method takes the error that a spread by chance alone would have. Where half
    // of the cells are three times as noisy that is too small: see "departures" in docs/method.md.
    let standard_error =
        spread.max(expected) * ((2.0 + fourth / expected.powi(2)) / logs.len() as f64).sqrt();
    let excess = spread - expected + standard_error;
    if excess <= 0.0 { f64::INFINITY } else { 2.0 * trigamma_inverse(excess) }
}
