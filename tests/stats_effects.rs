use planrun::stats::{Analysis, Face, factor_effect, interaction, judge};

use crate::stats_support::{assert_close, runs, wobble};

/// Four parallel edges 0-1, 2-3, 4-5, 6-7 with these true differences.
fn parallel(deltas: [f64; 4]) -> Analysis {
    let (layout, observations) = runs(9, 8, |arm, run| {
        let effect = if arm < 8 && arm % 2 == 1 { deltas[arm / 2] } else { 0.0 };
        effect + wobble(run)
    });
    Analysis::of(&layout, &observations).unwrap()
}

const EDGES: [(usize, usize); 4] = [(0, 1), (2, 3), (4, 5), (6, 7)];

fn withheld(analysis: &Analysis) -> bool {
    let edges: Vec<_> = EDGES.iter().map(|&(from, to)| analysis.edge(from, to).unwrap()).collect();
    factor_effect(analysis, &EDGES).unwrap().is_withheld(&judge(&edges, 0.05))
}

#[test]
fn a_pooled_effect_is_the_mean_of_its_edges_and_more_precise() {
    let analysis = parallel([0.05; 4]);
    let effect = factor_effect(&analysis, &EDGES).unwrap();
    let deltas: Vec<f64> = EDGES.iter().map(|&(from, to)| analysis.edge(from, to).unwrap().delta).collect();
    assert_close(effect.estimate.delta, deltas.iter().sum::<f64>() / 4.0, 1e-12);
    assert!(effect.estimate.se < 0.6 * analysis.edge(0, 1).unwrap().se);
    assert_eq!(effect.edges, 4);
    assert!(effect.min <= effect.estimate.delta && effect.estimate.delta <= effect.max);
}

#[test]
fn agreeing_edges_are_not_withheld() {
    assert!(!withheld(&parallel([0.05; 4])));
}

#[test]
fn an_established_edge_of_the_other_sign_withholds_the_effect() {
    assert!(withheld(&parallel([0.05, 0.05, 0.05, -0.03])));
}

#[test]
fn edges_that_differ_by_more_than_half_the_effect_withhold_it() {
    let analysis = parallel([0.0, 0.0, 0.1, 0.1]);
    let effect = factor_effect(&analysis, &EDGES).unwrap();
    assert!(effect.heterogeneity_p < 1e-6);
    assert_close(effect.tau, 0.1 / 3.0_f64.sqrt(), 0.01); // sd of 0, 0, .1, .1
    assert!(withheld(&analysis));
}

#[test]
fn a_small_real_disagreement_does_not_withhold_a_large_effect() {
    let analysis = parallel([0.48, 0.50, 0.50, 0.52]);
    assert!(factor_effect(&analysis, &EDGES).unwrap().heterogeneity_p < 0.05);
    assert!(!withheld(&analysis));
}

#[test]
fn an_interaction_is_the_difference_of_differences() {
    let analysis = parallel([0.01, 0.06, 0.01, 0.06]);
    let face = |base: usize| Face { base, first: base + 1, second: base + 2, both: base + 3 };
    let found = interaction(&analysis, &[face(0), face(4)]).unwrap();
    assert_close(found.delta, 0.05, 0.006);
    let single = interaction(&analysis, &[face(0)]).unwrap();
    assert_close(single.se / found.se, 2.0_f64.sqrt(), 0.3);
    assert_eq!(interaction(&analysis, &[]), None);
}
