//! Differences between arms with their standard errors (method, lines 7 and 13).

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::fit::{Fit, FitError, fit};
use super::layout::{Layout, Observation};
use super::moderate::{ArmNoise, Moderated, arm_noise, moderate};
use super::summary::variance;

/// Below this number of arms the pooled noise is too uncertain: the pair's own blocks have a say.
const FEW_ARMS: usize = 6;

/// An estimated difference, on the scale of the observations (usually logarithms).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The difference, after minus before.
    pub delta: f64,
    /// Its standard error.
    pub se: f64,
    /// Degrees of freedom of the standard error.
    pub df: f64,
}

impl Estimate {
    /// Two-sided p against no difference, unadjusted.
    pub fn p(&self) -> f64 {
        self.p_against(0.0)
    }

    /// Two-sided p against a given true difference, unadjusted.
    pub fn p_against(&self, truth: f64) -> f64 {
        let distance = (self.delta - truth).abs();
        if self.se <= 0.0 {
            return if distance > 0.0 { 0.0 } else { 1.0 };
        }
        let below = students_t(self.df).map_or(0.5, |t| t.cdf(-distance / self.se));
        (2.0 * below).min(1.0)
    }

    /// Half the width of the two-sided interval that misses with probability `error`.
    pub fn half_width(&self, error: f64) -> f64 {
        self.se * t_quantile(error, self.df)
    }
}

/// The t that is exceeded on either side with probability `error` in all.
pub fn t_quantile(error: f64, df: f64) -> f64 {
    students_t(df).map_or(f64::INFINITY, |t| -t.inverse_cdf(error / 2.0))
}

fn students_t(df: f64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, df).ok()
}

/// One metric's runs, fitted: everything that a difference between arms needs.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The common fit.
    pub fit: Fit,
    /// The noise of each arm by itself.
    pub noise: ArmNoise,
    /// The noise of each arm, moderated.
    pub moderated: Moderated,
}

impl Analysis {
    /// Fits the runs and estimates their noise: lines 3 to 6 of the method in one call.
    /// # Errors
    /// See [`FitError`].
    pub fn of(layout: &Layout, observations: &[Observation]) -> Result<Self, FitError> {
        let fit = fit(layout, observations)?;
        let noise = arm_noise(&fit)?;
        let moderated = moderate(&noise);
        Ok(Self { fit, noise, moderated })
    }

    /// The difference of two arms, `to` minus `from`; `None` when either has no runs.
    pub fn edge(&self, from: usize, to: usize) -> Option<Estimate> {
        self.contrast(&[(from, -1.0), (to, 1.0)])
    }

    /// A weighted sum of arms (each arm once, weights that add up to zero), with Satterthwaite's
    /// degrees of freedom; `None` when an arm has no runs or `weights` is empty.
    pub fn contrast(&self, weights: &[(usize, f64)]) -> Option<Estimate> {
        let mut delta = 0.0;
        let (mut sum, mut squares) = (0.0, 0.0);
        for &(arm, weight) in weights {
            delta += weight * self.fit.arms.get(arm)?.center?;
            let part = weight.powi(2) * self.moderated.variances[arm] / self.noise.effective_blocks[arm];
            sum += part;
            squares += part.powi(2);
        }
        let df = (sum.powi(2) * self.moderated.df / squares).min(self.moderated.max_df);
        let pooled = Estimate { delta, se: sum.sqrt(), df };
        if weights.is_empty() {
            return None;
        }
        Some(if self.fit.arms.len() < FEW_ARMS { self.with_own_blocks(weights, pooled) } else { pooled })
    }

    /// With few arms: the larger of the pooled and the contrast's own standard error, and the degrees
    /// of freedom of its own blocks.
    fn with_own_blocks(&self, weights: &[(usize, f64)], pooled: Estimate) -> Estimate {
        let values: Vec<f64> =
            (0..self.fit.layout.blocks).filter_map(|b| self.block_value(b, weights)).collect();
        let Some(variance) = variance(&values) else {
            return Estimate { se: f64::INFINITY, df: 1.0, ..pooled };
        };
        let own = self.fit.inflation * (variance / values.len() as f64).sqrt();
        Estimate { se: pooled.se.max(own), df: (values.len() - 1) as f64, ..pooled }
    }

    fn block_value(&self, block: usize, weights: &[(usize, f64)]) -> Option<f64> {
        let means = &self.fit.block_means[block * self.fit.layout.arms..];
        weights.iter().map(|&(arm, weight)| (means[arm].runs > 0).then(|| weight * means[arm].value)).sum()
    }
}
