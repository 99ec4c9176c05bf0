use planrun::stats::{
    Summary, block_differences, clipping_p, fit, log_difference_as_percent, median, percentile_is_judgeable,
    quantile, sign_flip, theil_sen,
};
use proptest::prelude::*;

use crate::stats_support::{assert_close, runs, wobble};

/// Reference: numpy.percentile (linear, which is type 7).
#[test]
fn quantiles_are_of_type_7() {
    let values = [50.0, 15.0, 40.0, 20.0, 35.0];
    for (share, expected) in [(0.05, 16.0), (0.3, 23.0), (0.4, 29.0), (0.95, 48.0)] {
        assert_close(quantile(&values, share).unwrap(), expected, 1e-12);
    }
    assert_eq!(quantile(&[], 0.5), None);
}

#[test]
fn a_summary_gives_median_robust_spread_and_range() {
    let summary = Summary::of(&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0]).unwrap();
    assert_close(summary.median, 2.0, 0.0);
    assert_close(summary.robust_sd, 1.4826, 1e-12); // median absolute deviation 1
    assert_close(summary.range(), 8.0, 0.0);
    assert_close(summary.mean, 25.0 / 7.0, 1e-12);
    assert_eq!(Summary::of(&[]), None);
    assert_eq!(Summary::of(&[3.0]).unwrap().sd, None);
}

proptest! {
    #[test]
    fn the_median_is_the_middle_quantile(values in proptest::collection::vec(-1e6f64..1e6, 1..60)) {
        prop_assert!((median(&values).unwrap() - quantile(&values, 0.5).unwrap()).abs() < 1e-6);
    }
}

#[test]
fn percentiles_need_ten_requests_beyond_them_and_equal_numbers() {
    assert!(percentile_is_judgeable(0.95, 200, 200));
    assert!(!percentile_is_judgeable(0.95, 199, 199));
    assert!(!percentile_is_judgeable(0.95, 200, 300));
    assert!(percentile_is_judgeable(0.99, 1_000, 1_000));
    assert!(!percentile_is_judgeable(0.99, 999, 999));
}

#[test]
fn a_difference_of_logarithms_reads_as_per_cent() {
    assert_close(log_difference_as_percent(1.02_f64.ln()), 2.0, 1e-12);
}

/// Reference: scipy.stats.theilslopes.
#[test]
fn theil_sen_agrees_with_scipy() {
    let y = [1.0, 2.0, 4.0, 3.0, 6.0, 8.0, 7.0, 10.0];
    let points: Vec<(f64, f64)> = y.iter().enumerate().map(|(x, &y)| (x as f64, y)).collect();
    let trend = theil_sen(&points, 0.05).unwrap();
    assert_close(trend.slope, 1.309_523_809_523_809_5, 1e-12);
    assert_close(trend.low, 0.75, 1e-12);
    assert_close(trend.high, 1.75, 1e-12);
    assert_eq!(theil_sen(&[(1.0, 2.0), (1.0, 3.0)], 0.05), None);
}

#[test]
fn a_single_outlier_does_not_bend_the_trend() {
    let mut points: Vec<(f64, f64)> = (0..20).map(|x| (f64::from(x), 2.0 * f64::from(x))).collect();
    points[10].1 = 1_000.0;
    assert_close(theil_sen(&points, 0.05).unwrap().slope, 2.0, 1e-12);
}

#[test]
fn block_differences_are_ready_for_the_sign_flip() {
    let (layout, observations) = runs(3, 6, |arm, run| if arm == 1 { 0.1 } else { 0.0 } + wobble(run));
    let differences = block_differences(&layout, &observations, 0, 1);
    assert_eq!(differences.len(), 6);
    assert!(differences.iter().all(|d| (d - 0.1).abs() < 0.02));
    assert_close(sign_flip(&differences, 1), 2.0 / 64.0, 1e-12);
}

fn clipping_p_of(stalls: impl Fn(usize, usize) -> bool) -> f64 {
    let (layout, observations) =
        runs(8, 8, |arm, run| wobble(run) - if stalls(arm, run) { 0.2 } else { 0.0 });
    clipping_p(&fit(&layout, &observations).unwrap(), &observations, 1)
}

#[test]
fn a_cell_that_stalls_by_itself_is_noticed() {
    // One of the two runs of arm 2 in six of the eight blocks of 16 runs.
    assert!(clipping_p_of(|arm, run| arm == 2 && run % 16 < 8 && run / 16 % 4 != 3) < 0.01);
}

#[test]
fn stalls_that_hit_all_cells_alike_are_not_blamed_on_one() {
    assert!(clipping_p_of(|_, run| run % 17 == 0) > 0.01);
}
