use planrun::stats::{Analysis, FitError, Observation, fit};
use proptest::prelude::*;

use crate::stats_support::{assert_close, runs, wobble};

proptest! {
    #[test]
    fn mirrored_order_cancels_linear_drift_exactly(slope in -0.01f64..0.01, from in 0usize..13, to in 0usize..13) {
        let (layout, still) = runs(13, 6, |_, run| wobble(run));
        let (_, drifting) = runs(13, 6, |_, run| wobble(run) + slope * run as f64);
        let before = Analysis::of(&layout, &still).unwrap().edge(from, to).unwrap();
        let after = Analysis::of(&layout, &drifting).unwrap().edge(from, to).unwrap();
        prop_assert!((before.delta - after.delta).abs() < 1e-9);
        prop_assert!((before.se - after.se).abs() < 1e-9);
    }

    #[test]
    fn adding_a_constant_to_all_runs_changes_nothing(shift in -100.0f64..100.0) {
        let (layout, plain) = runs(5, 4, |_, run| wobble(run));
        let (_, shifted) = runs(5, 4, |_, run| wobble(run) + shift);
        let before = Analysis::of(&layout, &plain).unwrap().edge(0, 3).unwrap();
        let after = Analysis::of(&layout, &shifted).unwrap().edge(0, 3).unwrap();
        prop_assert!((before.delta - after.delta).abs() < 1e-9);
        prop_assert!((before.p() - after.p()).abs() < 1e-6);
    }

    /// The simulation leans on this: an effect moves its arm's centre and nothing else, sub-blocks or not.
    #[test]
    fn an_effect_added_to_one_arm_moves_only_that_arm(effect in -0.1f64..0.1, arms in 6usize..40) {
        let (layout, plain) = runs(arms, 3, |_, run| wobble(run));
        let (_, moved) = runs(arms, 3, |arm, run| wobble(run) + if arm == 2 { effect } else { 0.0 });
        let (before, after) = (Analysis::of(&layout, &plain).unwrap(), Analysis::of(&layout, &moved).unwrap());
        let (null, shifted) = (before.edge(1, 2).unwrap(), after.edge(1, 2).unwrap());
        prop_assert!((shifted.delta - null.delta - effect).abs() < 1e-9);
        prop_assert!((shifted.se - null.se).abs() < 1e-9);
        prop_assert!((before.edge(0, 1).unwrap().delta - after.edge(0, 1).unwrap().delta).abs() < 1e-9);
    }
}

#[test]
fn clean_runs_give_the_plain_mean_difference() {
    let (layout, observations) = runs(6, 6, |arm, run| 0.02 * arm as f64 + wobble(run));
    let fit = fit(&layout, &observations).unwrap();
    let mean = |arm: usize| {
        let own: Vec<f64> = observations.iter().filter(|o| o.arm == arm).map(|o| o.y).collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    let plain = fit.arms[4].plain_mean.unwrap() - fit.arms[1].plain_mean.unwrap();
    assert_close(plain, mean(4) - mean(1), 1e-9);
    let robust = fit.arms[4].center.unwrap() - fit.arms[1].center.unwrap();
    assert_close(robust, 0.06, 0.005);
}

#[test]
fn one_stalled_run_hardly_moves_its_arm() {
    let (layout, observations) = runs(13, 6, |_, run| wobble(run));
    let mut stalled = observations.clone();
    let victim = stalled.iter().position(|o| o.arm == 3).unwrap();
    stalled[victim].y -= 0.5;
    let before = fit(&layout, &observations).unwrap();
    let after = fit(&layout, &stalled).unwrap();
    let moved = |after: Option<f64>, before: Option<f64>| (after.unwrap() - before.unwrap()).abs();
    assert!(moved(after.arms[3].center, before.arms[3].center) < 0.003);
    assert!(moved(after.arms[3].plain_mean, before.arms[3].plain_mean) > 0.03);
    assert!(after.clipped[victim]);
}

#[test]
fn a_missing_run_leaves_the_other_arms_estimates_nearly_alone() {
    let (layout, observations) =
        runs(8, 6, |arm, run| 0.01 * arm as f64 + 0.001 * run as f64 + wobble(run) / 10.0);
    let lost: Vec<Observation> =
        observations.iter().copied().enumerate().filter(|(i, _)| *i != 5).map(|it| it.1).collect();
    let full = Analysis::of(&layout, &observations).unwrap();
    let partial = Analysis::of(&layout, &lost).unwrap();
    for arm in 1..8 {
        assert_close(partial.edge(0, arm).unwrap().delta, full.edge(0, arm).unwrap().delta, 0.001);
    }
}

#[test]
fn a_gap_gives_each_pass_its_own_mean() {
    let (mut layout, mut observations) = runs(8, 6, |arm, run| 0.01 * arm as f64 + wobble(run));
    let without = fit(&layout, &observations).unwrap();
    for run in observations.iter_mut().filter(|o| o.sub_block == 2 && o.position >= 8) {
        run.y += 0.2;
    }
    layout.mark_gap(2);
    let with = fit(&layout, &observations).unwrap();
    let delta = |fit: &planrun::stats::Fit| fit.arms[5].center.unwrap() - fit.arms[0].center.unwrap();
    assert_close(delta(&with), delta(&without), 0.002);
    assert!(with.scale < 1.2 * without.scale);
}

#[test]
fn an_arm_that_lost_more_than_a_fifth_of_its_runs_is_incomplete() {
    let (layout, observations) = runs(6, 6, |_, run| wobble(run));
    let without = |lost: usize| {
        let mut left = lost;
        let kept = |o: &&Observation| {
            let drop = o.arm == 2 && left > 0;
            left -= usize::from(drop);
            !drop
        };
        fit(&layout, &observations.iter().filter(kept).copied().collect::<Vec<_>>()).unwrap()
    };
    assert!(!without(2).arms[2].is_incomplete());
    assert!(without(3).arms[2].is_incomplete());
    let none = without(12);
    assert_eq!(none.arms[2].center, None);
}

#[test]
fn an_edge_without_runs_on_one_side_has_no_estimate() {
    let (layout, observations) = runs(6, 6, |_, run| wobble(run));
    let kept: Vec<Observation> = observations.into_iter().filter(|o| o.arm != 4).collect();
    let analysis = Analysis::of(&layout, &kept).unwrap();
    assert_eq!(analysis.edge(0, 4), None);
    assert!(analysis.edge(0, 3).is_some());
}

#[test]
fn values_that_never_vary_are_not_judged() {
    let (layout, observations) = runs(4, 6, |arm, _| arm as f64);
    assert_eq!(fit(&layout, &observations).unwrap_err(), FitError::DidNotVary);
}

#[test]
fn observations_outside_the_layout_and_values_that_are_no_numbers_are_refused() {
    let (layout, mut observations) = runs(4, 2, |_, run| wobble(run));
    observations[3].position = 8;
    assert_eq!(fit(&layout, &observations).unwrap_err(), FitError::OutsideLayout(3));
    observations[3].position = 3;
    observations[5].y = f64::NAN;
    assert_eq!(fit(&layout, &observations).unwrap_err(), FitError::NotFinite(5));
}

#[test]
fn a_single_block_leaves_no_degree_of_freedom() {
    let (layout, observations) = runs(4, 1, |_, run| wobble(run));
    assert!(matches!(Analysis::of(&layout, &observations), Err(FitError::TooFewRuns(4))));
}
