use planrun::stats::{Estimate, Interval, holm, judge};
use proptest::prelude::*;

use crate::stats_support::assert_close;

fn estimates() -> impl Strategy<Value = Vec<Estimate>> {
    let one = (-5.0f64..5.0, 0.1f64..2.0, 2.0f64..80.0);
    proptest::collection::vec(one.prop_map(|(delta, se, df)| Estimate { delta, se, df }), 1..30)
}

proptest! {
    #[test]
    fn the_interval_excludes_zero_if_and_only_if_holm_rejects(family in estimates()) {
        for edge in judge(&family, 0.05) {
            prop_assert_eq!(edge.is_established(), edge.adjusted_p <= 0.05);
            prop_assert_eq!(edge.interval.contains(0.0), edge.adjusted_p > 0.05);
        }
    }

    #[test]
    fn every_interval_contains_its_estimate(family in estimates()) {
        for edge in judge(&family, 0.05) {
            prop_assert!(edge.interval.contains(edge.estimate.delta));
        }
    }

    #[test]
    fn adjusted_p_is_never_below_p_and_keeps_the_order(family in estimates()) {
        let mut judged = judge(&family, 0.05);
        judged.sort_by(|a, b| a.p.total_cmp(&b.p));
        prop_assert!(judged.iter().all(|edge| edge.adjusted_p >= edge.p));
        prop_assert!(judged.windows(2).all(|pair| pair[0].adjusted_p <= pair[1].adjusted_p));
    }
}

/// By hand from Holm's rule: 4 x .005, 3 x .01, 2 x .03, then the running largest.
#[test]
fn holm_follows_a_worked_example() {
    let test = holm(&[0.01, 0.04, 0.03, 0.005], 0.05);
    for (found, expected) in test.adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
        assert_close(*found, expected, 1e-12);
    }
    assert_eq!(test.rejected, [true, false, false, true]);
    assert_eq!(test.count(), 2);
}

#[test]
fn intervals_use_the_errors_of_guilbaud() {
    let strong = Estimate { delta: 10.0, se: 1.0, df: 60.0 };
    let weak = Estimate { delta: 0.1, se: 1.0, df: 60.0 };
    let judged = judge(&[strong, weak, weak], 0.05);
    assert_close(judged[0].interval.low, 10.0 - strong.half_width(0.05 / 3.0), 1e-12);
    assert_close(judged[1].interval.high, 0.1 + weak.half_width(0.05 / 2.0), 1e-12);
}

/// Bonferroni's interval would cross zero, Holm's second step rejects: the interval ends, open, at zero.
#[test]
fn a_rejected_edge_whose_interval_would_cross_zero_is_cut_there() {
    let strong = Estimate { delta: 10.0, se: 1.0, df: 60.0 };
    let border = Estimate { delta: 2.1, se: 1.0, df: 60.0 };
    let judged = judge(&[strong, border], 0.05);
    assert!(border.half_width(0.025) > 2.1 && judged[1].is_established());
    assert_eq!(judged[1].interval.low.to_bits(), 0.0_f64.to_bits());
    assert!(judged[1].interval.open_at_zero);
}

#[test]
fn equivalence_needs_the_whole_interval_inside_the_margin() {
    let interval = Interval { low: -0.5, high: 0.9, open_at_zero: false };
    assert!(interval.is_inside(-1.0, 1.0));
    assert!(!interval.is_inside(-1.0, 0.8));
    assert_close(interval.largest_not_ruled_out(), 0.9, 0.0);
}

/// Reference: 2 * scipy.stats.t.sf(3, 4.5).
#[test]
fn p_agrees_with_scipy() {
    assert_close(Estimate { delta: -3.0, se: 1.0, df: 4.5 }.p(), 0.034_380_867_888_759_62, 1e-9);
}

#[test]
fn an_empty_family_has_no_verdicts() {
    assert!(judge(&[], 0.05).is_empty());
    assert!(holm(&[], 0.05).adjusted.is_empty());
}
