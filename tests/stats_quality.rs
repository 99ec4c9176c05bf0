use planrun::stats::{
    Cluster, Paired, bootstrap_t, cluster_delta, cluster_interval, judge_clusters, judge_pairs, sign_flip,
};
use proptest::prelude::*;

use crate::stats_support::assert_close;

proptest! {
    #[test]
    fn quality_intervals_never_contradict_the_exact_test(
        counts in proptest::collection::vec((0u64..30, 0u64..30), 1..20),
    ) {
        let pairs: Vec<Paired> = counts.iter().map(|&(gained, lost)| Paired { items: 80, gained, lost }).collect();
        for judged in judge_pairs(&pairs, 0.05) {
            let rejected = judged.adjusted_p.is_some_and(|p| p <= 0.05);
            prop_assert_eq!(judged.is_established(), rejected);
            prop_assert_eq!(judged.interval.contains(0.0), !rejected);
        }
    }

    #[test]
    fn tango_mirrors_when_the_sides_change(gained in 0u64..20, lost in 0u64..20) {
        let there = Paired { items: 50, gained, lost }.tango(0.05);
        let back = Paired { items: 50, gained: lost, lost: gained }.tango(0.05);
        prop_assert!((there.low + back.high).abs() < 1e-9 && (there.high + back.low).abs() < 1e-9);
        prop_assert!(there.low >= -1.0 && there.high <= 1.0);
    }

    #[test]
    fn the_sign_flip_ignores_scale_and_direction(differences in proptest::collection::vec(-3.0f64..3.0, 1..12)) {
        let p = sign_flip(&differences, 1);
        let scaled: Vec<f64> = differences.iter().map(|d| -7.0 * d).collect();
        prop_assert!((p - sign_flip(&scaled, 1)).abs() < 1e-12);
        prop_assert!(p > 0.0 && p <= 1.0);
    }
}

/// Airway hyper-responsiveness before and after stem cell transplantation, 1 and 7 of 21 changed
/// (Fagerland, Lydersen & Laake 2013 and 2014): exact p .0703, mid-p .0391, Tango -.517 to -.026.
#[test]
fn the_published_paired_example_comes_out() {
    let pair = Paired { items: 21, gained: 1, lost: 7 };
    assert_close(pair.mcnemar_exact(), 0.0703, 5e-5);
    assert_close(pair.mcnemar_mid_p(), 0.0391, 5e-5);
    let interval = pair.tango(0.05);
    assert_close(interval.low, -0.517_232_3, 1e-6);
    assert_close(interval.high, -0.026_003_0, 1e-6);
}

#[test]
fn no_changed_item_gives_p_1_and_an_interval_that_still_has_width() {
    let pair = Paired { items: 40, gained: 0, lost: 0 };
    assert_close(pair.mcnemar_exact(), 1.0, 0.0);
    let interval = pair.tango(0.05);
    assert!(interval.low < -0.05 && interval.high > 0.05);
}

#[test]
fn items_are_counted_by_what_changed() {
    let pair = Paired::count(&[true, true, false, false, true], &[true, false, true, false, false]);
    assert_eq!(pair, Paired { items: 5, gained: 1, lost: 2 });
    assert_close(pair.delta(), -0.2, 1e-12);
}

/// Ten edges, nine of which changed in 3 items at most and cannot reach any level: one real loss of 7 items
/// (p = 1/64) would fail Holm over ten and passes Tarone's family of one.
#[test]
fn edges_that_cannot_be_decided_do_not_cost_the_others() {
    let mut pairs = vec![Paired { items: 100, gained: 1, lost: 2 }; 9];
    pairs.push(Paired { items: 100, gained: 0, lost: 7 });
    let judged = judge_pairs(&pairs, 0.05);
    assert!(judged[9].is_established());
    assert_close(judged[9].adjusted_p.unwrap(), 1.0 / 64.0, 1e-12);
    assert!(judged[..9].iter().all(|edge| edge.adjusted_p.is_none() && !edge.is_established()));
}

/// All 128 sign patterns counted by hand in Python: 8 are as extreme.
#[test]
fn the_exact_sign_flip_counts_patterns() {
    assert_close(sign_flip(&[1.2, -0.3, 0.8, 0.5, 1.1, -0.1, 0.9], 1), 8.0 / 128.0, 1e-12);
    assert_close(sign_flip(&[1.0; 6], 1), 2.0 / 64.0, 1e-12);
    assert_close(sign_flip(&[0.0; 6], 1), 1.0, 0.0);
}

#[test]
fn the_sampled_sign_flip_agrees_with_the_exact_binomial() {
    // 20 equal differences, 15 one way: two-sided binomial p = 0.0414.
    let differences: Vec<f64> = (0..20).map(|i| if i < 15 { 1.0 } else { -1.0 }).collect();
    assert_close(sign_flip(&differences, 3), 0.0414, 0.006);
}

fn clusters(sums: &[f64]) -> Vec<Cluster> {
    sums.iter().map(|&sum| Cluster { sum, items: 4 }).collect()
}

#[test]
fn fewer_than_six_clusters_are_not_tested() {
    let judged = judge_clusters(&[clusters(&[1.0, 2.0, 1.5, 1.0, 2.0])], 0.05, 1);
    assert_eq!(judged, [None]);
    assert_eq!(bootstrap_t(&clusters(&[1.0, 2.0, 1.5, 1.0, 2.0]), 0.05, 1), None);
}

#[test]
fn the_bootstrap_interval_is_near_the_t_interval_for_even_data() {
    let sums: Vec<f64> = (0..40).map(|i| f64::from(i % 8) - 3.0).collect();
    let group = clusters(&sums);
    let interval = bootstrap_t(&group, 0.05, 1).unwrap();
    // mean 0.5 / 4; sd of the sums 2.32; t(39) = 2.02: half-width 2.02 * 2.32 / sqrt(40) / 4 = 0.185.
    assert_close(cluster_delta(&group), 0.125, 1e-12);
    assert_close(interval.low, 0.125 - 0.185, 0.02);
    assert_close(interval.high, 0.125 + 0.185, 0.02);
}

#[test]
fn clusters_that_all_gain_are_established() {
    let gain = clusters(&[1.0, 2.0, 1.5, 1.0, 2.0, 1.2, 0.8, 1.1]);
    let mixed = clusters(&[1.0, -2.0, 1.5, -1.0, 2.0, -1.2, 0.8, -1.1]);
    let judged = judge_clusters(&[gain, mixed], 0.05, 1);
    assert!(judged[0].as_ref().unwrap().established);
    assert!(judged[0].as_ref().unwrap().interval.unwrap().excludes_zero());
    assert!(!judged[1].as_ref().unwrap().established);
}

#[test]
fn single_items_that_are_right_or_wrong_have_the_interval_of_paired_shares() {
    let single = |sums: &[f64]| sums.iter().map(|&sum| Cluster { sum, items: 1 }).collect::<Vec<_>>();
    let mut differences = vec![1.0; 11];
    differences.push(0.0);
    let pair = Paired { items: 12, gained: 11, lost: 0 };
    let interval = cluster_interval(&single(&differences), 0.05, 1).unwrap();
    assert_eq!(interval, pair.tango(0.05));
    assert!(interval.low < 0.75 && interval.high < 1.0, "{interval:?}");
    let gain = single(&[1.0; 12]);
    assert_eq!(bootstrap_t(&gain, 0.05, 1), None);
    assert!(cluster_interval(&gain, 0.05, 1).unwrap().low < 0.9, "twelve of twelve leave some doubt");
    let halves = single(&[0.5, 1.0, 0.0, 0.5, 1.0, 0.5, 0.0]);
    assert_eq!(cluster_interval(&halves, 0.05, 1), bootstrap_t(&halves, 0.05, 1));
}
