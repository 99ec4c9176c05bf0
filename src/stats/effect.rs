//! Factor effects pooled over parallel edges, and interactions (method, lines 13 and 14).

use std::collections::BTreeMap;

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::contrast::{Analysis, Estimate};
use super::family::Judged;
use super::summary::{mean, variance};

/// Edges disagree beyond chance below this p.
const HETEROGENEITY_ALPHA: f64 = 0.05;

/// The effect of going from one level of a factor to another, averaged over all parallel edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FactorEffect {
    /// The mean difference.
    pub estimate: Estimate,
    /// Number of parallel edges.
    pub edges: usize,
    /// Standard deviation of the true differences over the edges, beyond noise: the square root of
    /// `variance(deltas) - mean(se^2)`, or 0 (Hedges & Olkin 1985, unweighted moments).
    pub tau: f64,
    /// Smallest difference of an edge.
    pub min: f64,
    /// Largest difference of an edge.
    pub max: f64,
    /// Chi-square p for "all edges have the same difference" (Cochran 1954); 1 for one edge.
    pub heterogeneity_p: f64,
}

impl FactorEffect {
    /// Whether the pooled effect must not be printed as one number: the edges disagree beyond chance
    /// *and* it matters: an established edge has the other sign, or tau exceeds half the effect.
    ///
    /// `edges`: the judged parallel edges.
    pub fn is_withheld(&self, edges: &[Judged]) -> bool {
        let opposed =
            |edge: &Judged| edge.is_established() && edge.estimate.delta * self.estimate.delta < 0.0;
        let matters = edges.iter().any(opposed) || self.tau > self.estimate.delta.abs() / 2.0;
        self.heterogeneity_p < HETEROGENEITY_ALPHA && matters
    }
}

/// Pools parallel edges, given as (arm before, arm after); no arm may be in two of them.
/// `None` when there is none, or an arm has no runs.
pub fn factor_effect(analysis: &Analysis, edges: &[(usize, usize)]) -> Option<FactorEffect> {
    let share = 1.0 / edges.len() as f64;
    let weights: Vec<(usize, f64)> =
        edges.iter().flat_map(|&(from, to)| [(from, -share), (to, share)]).collect();
    let estimate = analysis.contrast(&weights)?;
    let singles: Vec<Estimate> =
        edges.iter().map(|&(from, to)| analysis.edge(from, to)).collect::<Option<_>>()?;
    let deltas: Vec<f64> = singles.iter().map(|single| single.delta).collect();
    Some(FactorEffect {
        estimate,
        edges: edges.len(),
        tau: tau(&singles, &deltas),
        min: deltas.iter().copied().fold(f64::INFINITY, f64::min),
        max: deltas.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        heterogeneity_p: heterogeneity_p(&singles, &deltas),
    })
}

fn tau(singles: &[Estimate], deltas: &[f64]) -> f64 {
    let noise: Vec<f64> = singles.iter().map(|single| single.se.powi(2)).collect();
    let excess = variance(deltas).unwrap_or(0.0) - mean(&noise).unwrap_or(0.0);
    excess.max(0.0).sqrt()
}

fn heterogeneity_p(singles: &[Estimate], deltas: &[f64]) -> f64 {
    let center = mean(deltas).unwrap_or(0.0);
    let statistic: f64 = singles.iter().map(|single| ((single.delta - center) / single.se).powi(2)).sum();
    ChiSquared::new(singles.len() as f64 - 1.0).map_or(1.0, |chi| chi.sf(statistic))
}

/// A 2 x 2 face of the grid: two factors at two levels each, everything else equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// Both factors at their first level.
    pub base: usize,
    /// Only the first factor changed.
    pub first: usize,
    /// Only the second factor changed.
    pub second: usize,
    /// Both changed.
    pub both: usize,
}

/// The interaction of two factors: the difference of differences
/// `(both - second) - (first - base)`, averaged over parallel faces. One face gives that face alone.
/// `None` when there is no face, or an arm has no runs.
pub fn interaction(analysis: &Analysis, faces: &[Face]) -> Option<Estimate> {
    let share = 1.0 / faces.len() as f64;
    let mut weights = BTreeMap::new();
    for face in faces {
        for (arm, sign) in [(face.both, 1.0), (face.second, -1.0), (face.first, -1.0), (face.base, 1.0)] {
            *weights.entry(arm).or_insert(0.0) += sign * share;
        }
    }
    analysis.contrast(&weights.into_iter().collect::<Vec<_>>())
}
