use planrun::stats::{
    ExactResolution, exact_resolution, least_one_way_flips, paired_resolution, resolution, unchanged_bound,
};

use crate::stats_support::assert_close;

fn points(share: f64) -> f64 {
    (100.0 * share).round()
}

fn unpaired(share: f64, items: u64) -> f64 {
    resolution(share, items, 1, 0.05).unpaired.expect("so many items show something")
}

fn exact_points(items: u64, members: usize) -> f64 {
    match exact_resolution(items, members, 0.05) {
        ExactResolution::Share(share) => points(share),
        ExactResolution::Never => f64::INFINITY,
    }
}

#[test]
fn seventy_per_cent_right_resolves_57_26_13_and_6_points() {
    let found = [10, 50, 200, 1000].map(|items| points(unpaired(0.7, items)));
    assert_eq!(found.map(|p| p as i32), [57, 26, 13, 6]);
}

#[test]
fn eight_items_give_46_points_marked_as_below_the_size_where_it_holds() {
    let found = resolution(0.875, 8, 1, 0.05);
    assert_close(points(unpaired(0.875, 8)), 46.0, 0.5);
    assert!(!found.formula_holds);
    assert!(matches!(found.exact, Some(ExactResolution::Share(share)) if (points(share) - 80.0).abs() < 0.5));
}

#[test]
fn all_right_or_all_wrong_is_not_resolution_zero() {
    for items in [8, 50, 1000] {
        assert!(unpaired(1.0, items) > 0.0);
        assert!(unpaired(0.0, items) > 0.0);
    }
    assert_close(unpaired(1.0, 50), 2.8 * (2.0 * 52.0 / 54.0 * 2.0 / 54.0 / 50.0_f64).sqrt(), 1e-12);
}

/// All flips one way, power 80 %. Reference: `scipy.stats.binom.sf` solved for the share.
#[test]
fn the_exact_resolution_of_few_items_matches_the_table() {
    let alone = [8, 10, 20, 30, 50].map(|items| exact_points(items, 1) as i32);
    assert_eq!(alone, [80, 67, 37, 25, 15]);
    assert_eq!([30, 50].map(|items| exact_points(items, 20) as i32), [39, 24]);
    assert_eq!(exact_resolution(5, 1, 0.05), ExactResolution::Never);
}

#[test]
fn the_least_one_way_flips_grow_with_the_family() {
    assert_eq!([1, 10, 20, 100].map(|members| least_one_way_flips(members, 0.05)), [6, 9, 10, 12]);
}

#[test]
fn nothing_changed_bounds_the_share_of_changes() {
    assert_close(unchanged_bound(8), 0.37, 0.005);
    assert_close(unchanged_bound(50), 0.071, 0.0005);
    assert_close(unchanged_bound(200), 0.018, 0.0005);
}

#[test]
fn pairing_resolves_more_than_two_independent_sets() {
    let paired = paired_resolution(16, 200).expect("200 items show something");
    assert_close(paired, 2.8 * (17.0 / 202.0 / 200.0_f64).sqrt(), 1e-12);
    assert!(paired < unpaired(0.7, 200));
}

/// 2.8 sqrt(0.5 / n) is 1.98, 1.14 and 0.99 for 1, 3 and 4 items; no difference of shares is above 1.
#[test]
fn what_no_difference_of_shares_can_reach_is_no_resolution() {
    assert_eq!([1, 3].map(|items| resolution(0.5, items, 1, 0.05).unpaired), [None, None]);
    assert_close(unpaired(0.5, 4), 0.99, 0.001);
    assert_eq!([paired_resolution(1, 1), paired_resolution(6, 6)], [None, None]);
    for items in 1..=40 {
        let shares = [0.0, 0.1, 0.5, 0.9, 1.0];
        assert!(shares.iter().all(|&p| resolution(p, items, 1, 0.05).unpaired.is_none_or(|one| one <= 1.0)));
    }
}
