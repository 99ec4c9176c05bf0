//! Families of estimates: Holm's test and the simultaneous intervals that agree with it (method, lines 8
//! and 9). One interval decides every verdict.

use super::contrast::Estimate;

/// An interval for a difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The end at zero is open: zero itself is excluded, though the interval was cut there.
    pub open_at_zero: bool,
}

impl Interval {
    /// A closed interval around an estimate that misses with probability `error`.
    pub fn around(estimate: &Estimate, error: f64) -> Self {
        let half = estimate.half_width(error);
        Self { low: estimate.delta - half, high: estimate.delta + half, open_at_zero: false }
    }

    /// Whether the interval excludes zero: the difference is established.
    pub fn excludes_zero(&self) -> bool {
        let touches = self.low == 0.0 || self.high == 0.0;
        self.low > 0.0 || self.high < 0.0 || (self.open_at_zero && touches)
    }

    /// Whether the whole interval lies inside `-margin..=margin` (`low..=high` of a declared margin).
    pub fn is_inside(&self, low: f64, high: f64) -> bool {
        self.low >= low && self.high <= high
    }

    /// Whether `value` is not ruled out.
    pub fn contains(&self, value: f64) -> bool {
        let open = self.open_at_zero && value == 0.0;
        self.low <= value && value <= self.high && !open
    }

    /// The end that lies further from zero: "differences up to this are not ruled out".
    pub fn largest_not_ruled_out(&self) -> f64 {
        if self.low.abs() > self.high.abs() { self.low } else { self.high }
    }

    /// The interval made to agree with a test at zero: cut there (open) where the test has established the
    /// difference `delta`, widened to include zero where it has not.
    #[must_use]
    pub fn agreeing_with(self, established: bool, delta: f64) -> Self {
        if established { self.cut_at_zero(delta) } else { self.widened_to_zero() }
    }

    /// Cut at zero (open) on the far side of a difference that the test has established.
    fn cut_at_zero(self, delta: f64) -> Self {
        let (low, high) =
            if delta > 0.0 { (self.low.max(0.0), self.high) } else { (self.low, self.high.min(0.0)) };
        Self { low, high, open_at_zero: low == 0.0 || high == 0.0 }
    }

    /// Widened to include zero, for a difference that the test has not established.
    fn widened_to_zero(self) -> Self {
        Self { low: self.low.min(0.0), high: self.high.max(0.0), open_at_zero: false }
    }
}

/// One member of a family, judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The estimate.
    pub estimate: Estimate,
    /// Its unadjusted p.
    pub p: f64,
    /// Holm's adjusted p.
    pub adjusted_p: f64,
    /// The simultaneous interval: it excludes zero if and only if Holm's test rejects.
    pub interval: Interval,
}

impl Judged {
    /// Whether the difference is established at the family's alpha.
    pub fn is_established(&self) -> bool {
        self.interval.excludes_zero()
    }
}

/// Holm's step-down test of a family.
#[derive(Clone, Debug, PartialEq)]
pub struct Holm {
    /// Adjusted p of each member, in the order given.
    pub adjusted: Vec<f64>,
    /// Whether each member is rejected at alpha.
    pub rejected: Vec<bool>,
}

impl Holm {
    /// Number of rejected members.
    pub fn count(&self) -> usize {
        self.rejected.iter().filter(|&&rejected| rejected).count()
    }
}

/// Holm's test (Holm 1979): the k-th smallest of m p-values is multiplied by `m - k + 1`.
pub fn holm(ps: &[f64], alpha: f64) -> Holm {
    let mut by_p: Vec<usize> = (0..ps.len()).collect();
    by_p.sort_by(|&a, &b| ps[a].total_cmp(&ps[b]));
    let mut adjusted = vec![1.0; ps.len()];
    let mut largest: f64 = 0.0;
    for (rank, &i) in by_p.iter().enumerate() {
        largest = largest.max((ps.len() - rank) as f64 * ps[i]).min(1.0);
        adjusted[i] = largest;
    }
    let rejected = adjusted.iter().map(|&p| p <= alpha).collect();
    Holm { adjusted, rejected }
}

/// Judges a family at `alpha`: Holm's adjusted p and the simultaneous intervals of Guilbaud (2008).
///
/// With R of m members rejected, the others get error `alpha / (m - R)` each, the rejected ones
/// `alpha / m`, cut (open) at zero where they would cross it.
pub fn judge(estimates: &[Estimate], alpha: f64) -> Vec<Judged> {
    let ps: Vec<f64> = estimates.iter().map(Estimate::p).collect();
    let test = holm(&ps, alpha);
    let (error_rejected, error_open) = interval_errors(estimates.len(), test.count(), alpha);
    let judged = |(i, estimate): (usize, &Estimate)| {
        let rejected = test.rejected[i];
        let interval = Interval::around(estimate, if rejected { error_rejected } else { error_open });
        let interval = interval.agreeing_with(rejected, estimate.delta);
        Judged { estimate: *estimate, p: ps[i], adjusted_p: test.adjusted[i], interval }
    };
    estimates.iter().enumerate().map(judged).collect()
}

/// Error of one interval, for rejected members and for the others.
pub(super) fn interval_errors(members: usize, rejected: usize, alpha: f64) -> (f64, f64) {
    let open = (members - rejected).max(1);
    (alpha / members.max(1) as f64, alpha / open as f64)
}
