//! A robust straight line through a series, for drift over a sustained run.

use statrs::distribution::{ContinuousCDF, Normal};

use super::summary::median;

/// Longer series are thinned evenly to this many points: the number of pairs grows with the square.
const MAX_POINTS: usize = 2_000;

/// A Theil-Sen line (Theil 1950, Sen 1968).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Median of all pairwise slopes, in units of y per unit of x.
    pub slope: f64,
    /// Median of `y - slope x`.
    pub intercept: f64,
    /// Lower end of Sen's interval of the slope.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Number of points used.
    pub points: usize,
}

/// Fits a line to points (x, y); the interval misses with probability `error` if points are independent.
/// `None` when fewer than two points differ in x.
pub fn theil_sen(points: &[(f64, f64)], error: f64) -> Option<Trend> {
    let every = points.len().div_ceil(MAX_POINTS).max(1);
    let used: Vec<(f64, f64)> = points.iter().step_by(every).copied().collect();
    let mut slopes = pairwise_slopes(&used);
    slopes.sort_by(f64::total_cmp);
    let slope = median(&slopes)?;
    let rest: Vec<f64> = used.iter().map(|(x, y)| y - slope * x).collect();
    let (low, high) = sen_interval(&slopes, used.len(), error);
    Some(Trend { slope, intercept: median(&rest)?, low, high, points: used.len() })
}

fn pairwise_slopes(points: &[(f64, f64)]) -> Vec<f64> {
    let mut slopes = Vec::with_capacity(points.len() * points.len() / 2);
    for (i, a) in points.iter().enumerate() {
        let later = points[i + 1..].iter().filter(|b| (b.0 - a.0).abs() > 0.0);
        slopes.extend(later.map(|b| (b.1 - a.1) / (b.0 - a.0)));
    }
    slopes
}

/// Order statistics of the slopes by the variance of Kendall's score, `n (n - 1) (2 n + 5) / 18`.
fn sen_interval(slopes: &[f64], points: usize, error: f64) -> (f64, f64) {
    let n = points as f64;
    let z = Normal::standard().inverse_cdf(1.0 - error / 2.0);
    let reach = z * (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
    let count = slopes.len() as f64;
    let low = ((count - reach) / 2.0).round().max(1.0) as usize - 1;
    let high = f64::midpoint(count, reach).round().min(count - 1.0) as usize;
    (slopes[low], slopes[high])
}
