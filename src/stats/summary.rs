//! Plain summaries of one sample: median, robust spread, range, quantiles.

/// Turns a median absolute deviation into a standard deviation for normal data (1 / 0.6745).
pub const MAD_TO_SD: f64 = 1.4826;

/// What one sample looks like. All values are in the unit of the sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Sample size.
    pub n: usize,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Median.
    pub median: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation with divisor n - 1; `None` for one value.
    pub sd: Option<f64>,
    /// 1.4826 times the median absolute deviation from the median (Hampel 1974).
    pub robust_sd: f64,
}

impl Summary {
    /// Summarises a sample; `None` when it is empty.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let median = median(&sorted)?;
        let mut deviations: Vec<f64> = sorted.iter().map(|value| (value - median).abs()).collect();
        Some(Self {
            n: values.len(),
            min,
            max,
            median,
            mean: mean(values)?,
            sd: variance(values).map(f64::sqrt),
            robust_sd: MAD_TO_SD * median_in_place(&mut deviations)?,
        })
    }

    /// Largest minus smallest value. It grows with n, so print n beside it.
    pub fn range(&self) -> f64 {
        self.max - self.min
    }
}

/// Arithmetic mean; `None` when empty.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Variance with divisor n - 1; `None` below two values.
pub fn variance(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| squares / (values.len() - 1) as f64)
}

/// Median; `None` when empty.
pub fn median(values: &[f64]) -> Option<f64> {
    median_in_place(&mut values.to_vec())
}

/// Median of a buffer that may be reordered; `None` when empty.
pub(super) fn median_in_place(values: &mut [f64]) -> Option<f64> {
    let half = values.len() / 2;
    if values.is_empty() {
        return None;
    }
    let odd = values.len() % 2 == 1;
    let (lower, &mut upper, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    if odd {
        return Some(upper);
    }
    let below = lower.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some(f64::midpoint(below, upper))
}

/// Quantile of type 7 (Hyndman & Fan 1996; the default of R): linear between the order statistics at
/// `(n - 1) share`. `share` lies in 0..=1; `None` when the sample is empty.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = sorted.len().checked_sub(1)? as f64 * share.clamp(0.0, 1.0);
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(low + (high - low) * place.fract())
}

/// Whether a percentile may be judged between two arms with these numbers of requests a run
/// (method, line 20): equal numbers, with ten requests beyond the percentile (p95: 200, p99: 1,000).
pub fn percentile_is_judgeable(share: f64, requests_before: usize, requests_after: usize) -> bool {
    let beyond = requests_before as f64 * (1.0 - share);
    requests_before == requests_after && beyond >= 10.0 - 1e-9
}

/// A difference of natural logarithms as per cent: `100 (exp(d) - 1)`.
pub fn log_difference_as_percent(difference: f64) -> f64 {
    100.0 * difference.exp_m1()
}
