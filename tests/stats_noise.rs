use planrun::stats::{
    Analysis, NoiseLevel, arm_noise, fit, moderate, pentagamma, t_quantile, tetragamma, trigamma,
    trigamma_inverse,
};

use crate::stats_support::{assert_close, runs, wobble};

/// Reference: scipy.special.polygamma(1 | 2 | 3, x).
#[test]
fn polygammas_agree_with_scipy() {
    let known = [
        (0.5, 4.934_802_200_544_68, -16.828_796_644_234_316, 97.409_091_034_002_42),
        (1.0, 1.644_934_066_848_226_6, -2.404_113_806_319_188, 6.493_939_402_266_829),
        (2.3, 0.542_537_458_665_258_5, -0.288_130_243_372_937_9, 0.300_257_134_434_272_43),
        (10.0, 0.105_166_335_681_685_76, -0.011_049_834_970_802_069, 0.002_319_901_304_289_868_6),
    ];
    for (x, first, second, third) in known {
        assert_close(trigamma(x) / first, 1.0, 1e-11);
        assert_close(tetragamma(x) / second, 1.0, 1e-11);
        assert_close(pentagamma(x) / third, 1.0, 1e-11);
    }
}

#[test]
fn the_inverse_of_trigamma_undoes_it() {
    for x in [0.01, 0.3, 1.0, 4.6, 80.0, 10_000.0] {
        assert_close(trigamma_inverse(trigamma(x)) / x, 1.0, 1e-8);
    }
}

/// Reference: scipy.stats.t.ppf.
#[test]
fn t_quantiles_agree_with_scipy() {
    assert_close(t_quantile(0.05, 5.0), 2.570_581_835_636_314_6, 1e-8);
    assert_close(t_quantile(0.05 / 24.0, 60.0), 3.217_970_610_144_935_2, 1e-8);
    assert_close(t_quantile(0.05 / 168.0, 200.0), 3.682_071_922_421_413, 1e-8);
}

#[test]
fn the_degrees_of_freedom_are_those_of_the_block_means() {
    let (layout, observations) = runs(13, 6, |_, run| wobble(run));
    let noise = arm_noise(&fit(&layout, &observations).unwrap()).unwrap();
    assert_close(noise.total_df(), f64::from(13 * 6 - 13 - 6 + 1), 1e-9);
}

#[test]
fn the_mean_variance_is_about_half_the_variance_of_a_run() {
    let (layout, observations) = runs(13, 30, |_, run| wobble(run));
    let noise = arm_noise(&fit(&layout, &observations).unwrap()).unwrap();
    // `wobble` is nearly uniform on -0.01..0.01: variance 0.01^2 / 3.
    assert_close(noise.mean_variance / (1e-4 / 6.0), 1.0, 0.15);
}

#[test]
fn equally_noisy_arms_are_moderated_to_one_variance_or_nearly() {
    let (layout, observations) = runs(13, 6, |_, run| wobble(run));
    let noise = arm_noise(&fit(&layout, &observations).unwrap()).unwrap();
    let spread = |values: &[f64]| {
        values.iter().copied().fold(0.0, f64::max) / values.iter().copied().fold(1.0, f64::min)
    };
    assert!(spread(&moderate(&noise).variances) < spread(&noise.variances).sqrt());
}

#[test]
fn a_much_noisier_arm_keeps_most_of_its_variance() {
    let (layout, observations) = runs(13, 10, |arm, run| wobble(run) * if arm == 4 { 10.0 } else { 1.0 });
    let analysis = Analysis::of(&layout, &observations).unwrap();
    let (quiet, noisy) = (analysis.edge(0, 1).unwrap(), analysis.edge(0, 4).unwrap());
    assert!(noisy.se > 2.0 * quiet.se);
    assert!(analysis.moderated.prior_df.is_finite());
}

#[test]
fn with_few_arms_the_pair_has_its_own_degrees_of_freedom() {
    let (layout, observations) = runs(3, 6, |_, run| wobble(run));
    let edge = Analysis::of(&layout, &observations).unwrap().edge(0, 1).unwrap();
    assert_close(edge.df, 5.0, 1e-12);
}

/// By hand: t(0.05 / 48, 60) = 3.218, vbar = 0.01^2 / 2, se = sqrt(2 vbar / 6) = 0.00408.
#[test]
fn the_floor_and_the_detectable_difference_follow_their_formulas() {
    let level = NoiseLevel::assumed(0.01, 13, 6);
    assert_close(level.df, 60.0, 1e-12);
    assert_close(level.floor(6, 24, 0.05), 3.218 * 0.004_082_5, 1e-5);
    assert_close(level.detectable(6, 24, 0.05), (3.218 + 0.84) * 0.004_082_5, 1e-5);
}

#[test]
fn half_the_width_takes_four_times_the_blocks() {
    let level = NoiseLevel { variance: 5e-5, df: 60.0 };
    let (wide, narrow) = (
        level.blocks_for_half_width(0.01, 24, 0.05, 10_000),
        level.blocks_for_half_width(0.005, 24, 0.05, 10_000),
    );
    assert_eq!(wide, 11); // 2 * 5e-5 * (3.218 / 0.01)^2 = 10.36
    assert_eq!(narrow, 42);
    assert_eq!(level.blocks_for_half_width(1e-9, 24, 0.05, 50), 50);
    assert!(level.blocks_to_establish(0.01, 24, 0.05, 1_000) > wide);
}
