//! Binary quality, paired by item: McNemar's test, Tango's interval, Tarone-Holm (method, line 17).

use statrs::distribution::{Binomial, ContinuousCDF, Discrete, DiscreteCDF, Normal};

use super::family::{Interval, holm, interval_errors};

/// The same items answered on both sides of an edge. Identical repeats of a run are no new items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paired {
    /// Items answered on both sides.
    pub items: u64,
    /// Items wrong before and right after.
    pub gained: u64,
    /// Items right before and wrong after.
    pub lost: u64,
}

impl Paired {
    /// Counts the items of two equally long lists of right (true) and wrong answers.
    pub fn count(before: &[bool], after: &[bool]) -> Self {
        let pairs = || before.iter().zip(after);
        let gained = pairs().filter(|&(&b, &a)| !b && a).count() as u64;
        let lost = pairs().filter(|&(&b, &a)| b && !a).count() as u64;
        Self { items: pairs().count() as u64, gained, lost }
    }

    /// Share right after minus share right before; 0 without items.
    pub fn delta(&self) -> f64 {
        (self.gained as f64 - self.lost as f64) / self.items.max(1) as f64
    }

    /// Items that changed: all that the test learns from.
    pub fn discordant(&self) -> u64 {
        self.gained + self.lost
    }

    /// Exact two-sided p of McNemar's test (the sign test of the changed items; McNemar 1947).
    pub fn mcnemar_exact(&self) -> f64 {
        self.tail().map_or(1.0, |(tail, _)| (2.0 * tail).min(1.0))
    }

    /// The mid-p variant, less conservative (Fagerland, Lydersen & Laake 2013): only half of the observed
    /// table's own probability counts. An option, not for verdicts.
    pub fn mcnemar_mid_p(&self) -> f64 {
        self.tail().map_or(1.0, |(tail, point)| (2.0 * tail - point).min(1.0))
    }

    /// P(X <= fewer flips) and P(X = fewer flips) under a fair coin; `None` when nothing changed.
    fn tail(&self) -> Option<(f64, f64)> {
        let coin = Binomial::new(0.5, self.discordant()).ok().filter(|_| self.discordant() > 0)?;
        let fewer = self.gained.min(self.lost);
        Some((coin.cdf(fewer), coin.pmf(fewer)))
    }

    /// The least p that this many changed items can reach, all in one direction.
    pub fn least_p(&self) -> f64 {
        (2.0 * 0.5_f64.powf(self.discordant() as f64)).min(1.0)
    }

    /// Score interval of the difference that misses with probability `error` (Tango 1998): all
    /// differences that the score test does not reject. Bounded by -1 and 1 without items.
    pub fn tango(&self, error: f64) -> Interval {
        let z = Normal::standard().inverse_cdf(1.0 - error / 2.0);
        let delta = self.delta();
        let low = boundary(-1.0, delta, |difference| self.score(difference) <= z);
        let high = boundary(1.0, delta, |difference| self.score(difference) >= -z);
        Interval { low, high, open_at_zero: false }
    }

    /// Tango's score statistic of a true difference: positive below the observed one.
    fn score(&self, difference: f64) -> f64 {
        let (n, gained, lost) = (self.items as f64, self.gained as f64, self.lost as f64);
        let b = (2.0 * n - gained + lost) * difference - gained - lost;
        let c = -lost * difference * (1.0 - difference);
        let loss_rate = ((b * b - 8.0 * n * c).max(0.0).sqrt() - b) / (4.0 * n);
        let variance = n * (2.0 * loss_rate + difference * (1.0 - difference));
        let distance = gained - lost - n * difference;
        if distance.abs() < 1e-12 { 0.0 } else { distance / variance.max(f64::MIN_POSITIVE).sqrt() }
    }
}

/// Bisects between `outside` and the estimate for the last difference that is still acceptable.
fn boundary(outside: f64, estimate: f64, acceptable: impl Fn(f64) -> bool) -> f64 {
    let (mut out, mut inside) = (outside, estimate);
    for _ in 0..60 {
        let middle = f64::midpoint(out, inside);
        if acceptable(middle) {
            inside = middle;
        } else {
            out = middle;
        }
    }
    inside
}

/// One paired edge of a quality family, judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedPair {
    /// The counts.
    pub pair: Paired,
    /// Exact p, unadjusted.
    pub p: f64,
    /// Tarone-Holm adjusted p; `None` where too few items changed for any decision.
    pub adjusted_p: Option<f64>,
    /// Tango's interval at the simultaneous level, made to agree with the exact test at zero.
    pub interval: Interval,
}

impl JudgedPair {
    /// Whether the difference is established at the family's alpha.
    pub fn is_established(&self) -> bool {
        self.interval.excludes_zero()
    }
}

/// Judges a family of paired edges at `alpha`: exact McNemar p, Holm over those edges that could have been
/// significant at all (Tarone 1990), and simultaneous intervals.
///
/// The intervals use the errors of the whole family (wider than the test needs), and are cut or widened at
/// zero so that they never contradict the exact test.
pub fn judge_pairs(pairs: &[Paired], alpha: f64) -> Vec<JudgedPair> {
    let decidable = decidable(pairs, alpha);
    let ps: Vec<f64> = decidable.iter().map(|&i| pairs[i].mcnemar_exact()).collect();
    let test = holm(&ps, alpha);
    let mut adjusted = vec![None; pairs.len()];
    for (&i, &p) in decidable.iter().zip(&test.adjusted) {
        adjusted[i] = Some(p);
    }
    let errors = interval_errors(pairs.len(), test.count(), alpha);
    let judged = |(pair, adjusted_p): (&Paired, Option<f64>)| {
        let rejected = adjusted_p.is_some_and(|p| p <= alpha);
        let interval = pair.tango(if rejected { errors.0 } else { errors.1 });
        let interval = interval.agreeing_with(rejected, pair.delta());
        JudgedPair { pair: *pair, p: pair.mcnemar_exact(), adjusted_p, interval }
    };
    pairs.iter().zip(adjusted).map(judged).collect()
}

/// Tarone's subset: with K the least k such that at most k members can reach `alpha / k`, the members that
/// can reach `alpha / K`.
fn decidable(pairs: &[Paired], alpha: f64) -> Vec<usize> {
    let reaching = |k: usize| -> Vec<usize> {
        (0..pairs.len()).filter(|&i| pairs[i].least_p() <= alpha / k as f64).collect()
    };
    (1..=pairs.len())
        .map(|k| (k, reaching(k)))
        .find(|(k, members)| members.len() <= *k)
        .map_or(vec![], |it| it.1)
}
