//! How small a difference of quality a task set can show (method, line 19). It is printed, before and
//! after; it is not a test. All values are shares: 0.13 is 13 points.

use statrs::distribution::{Binomial, DiscreteCDF};

/// Below this number of items the formula is not "about right" and the exact value stands beside it.
pub const FORMULA_HOLDS_FROM: u64 = 30;
/// 1.96 + 0.84: significance 5 % two-sided, power 80 %.
const SIGNIFICANCE_AND_POWER: f64 = 2.8;
const POWER: f64 = 0.8;

/// The smallest difference that a task set would show four times in five.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resolution {
    /// `2.8 sqrt(2 p (1 - p) / n)`: two independent sets of n items. `None` where that is more than 1, which no difference
    /// of two shares can reach: nothing can be shown.
    pub unpaired: Option<f64>,
    /// Whether n is large enough for the formula; if not, say so beside the value.
    pub formula_holds: bool,
    /// For fewer than 30 items: the exact paired value.
    pub exact: Option<ExactResolution>,
}

/// The exact value for few items.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExactResolution {
    /// The smallest share of items flipping one way that is significant four times in five.
    Share(f64),
    /// Even all items flipping one way would not be significant.
    Never,
}

/// The resolution of `items` items of which about `share` are right, for one edge among `members` at
/// family-wise `alpha`.
///
/// Where 2 items or fewer are wrong (or right) the share is `(x + 2) / (n + 4)` (Agresti & Coull 1998), as
/// a share of 0 or 1 would claim that any difference could be seen. Below 30 items the plain formula is
/// kept as long as it gives anything.
pub fn resolution(share: f64, items: u64, members: usize, alpha: f64) -> Resolution {
    let n = items.max(1) as f64;
    let right = share * n;
    let formula_holds = items >= FORMULA_HOLDS_FROM;
    let rim = if formula_holds { 2.0 } else { 0.0 };
    let at_rim = right.min(n - right) <= rim + 1e-9;
    let share = if at_rim { (right + 2.0) / (n + 4.0) } else { share };
    let unpaired = reachable(SIGNIFICANCE_AND_POWER * (2.0 * share * (1.0 - share) / n).sqrt());
    let exact = (!formula_holds).then(|| exact_resolution(items, members, alpha));
    Resolution { unpaired, formula_holds, exact }
}

/// The resolution of the same items answered twice, `2.8 sqrt(psi / n)` with psi the share of changed items
/// `(discordant + 1) / (n + 2)`; `None` where that is more than 1.
pub fn paired_resolution(discordant: u64, items: u64) -> Option<f64> {
    let share = (discordant as f64 + 1.0) / (items as f64 + 2.0);
    reachable(SIGNIFICANCE_AND_POWER * (share / items.max(1) as f64).sqrt())
}

/// A difference of two shares is at most 1.
fn reachable(difference: f64) -> Option<f64> {
    (difference <= 1.0).then_some(difference)
}

/// The least number of items, all flipping one way, that is significant for one edge among `members`.
pub fn least_one_way_flips(members: usize, alpha: f64) -> u64 {
    let needed = 2.0 * members.max(1) as f64 / alpha;
    needed.log2().ceil() as u64
}

/// Exact paired resolution: the smallest share D of items flipping one way such that
/// `P(Bin(n, D) >= least flips) >= 0.8`.
pub fn exact_resolution(items: u64, members: usize, alpha: f64) -> ExactResolution {
    let flips = least_one_way_flips(members, alpha);
    if flips > items {
        return ExactResolution::Never;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        let power = Binomial::new(middle, items).map_or(0.0, |flipped| flipped.sf(flips - 1));
        if power >= POWER {
            high = middle;
        } else {
            low = middle;
        }
    }
    ExactResolution::Share(high)
}

/// When no item changed: the true share of changing items is at most this (one-sided 97.5 %),
/// `1 - 0.025^(1/n)`.
pub fn unchanged_bound(items: u64) -> f64 {
    1.0 - 0.025_f64.powf(1.0 / items.max(1) as f64)
}
