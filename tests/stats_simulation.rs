use planrun::stats::simulation::{
    Grid, Noise, Row, Scenario, Trace, TraceError, built_in_traces, render, run_selftest, scenarios,
    simulate, welch_p,
};

use crate::stats_support::assert_close;

fn scenario(noise: Noise) -> Scenario {
    Scenario { noise, grid: Grid::new(&[3, 2, 2]), blocks: 6, effect: 1.02_f64.ln() }
}

fn row(noise: Noise, plans: u64) -> Row {
    let scenario = scenario(noise);
    let counts = simulate(&scenario, 5, plans);
    Row { scenario, counts }
}

#[test]
fn the_grids_have_24_and_168_edges() {
    assert_eq!(Grid::new(&[3, 2, 2]).edges().len(), 24);
    assert_eq!(Grid::new(&[4, 3, 2, 2]).edges().len(), 168);
    let edges = Grid::new(&[2, 2]).edges();
    assert_eq!(
        edges.iter().map(|edge| (edge.from, edge.to)).collect::<Vec<_>>(),
        [(0, 2), (1, 3), (0, 1), (2, 3)]
    );
}

/// Bounds are wide: 200 plans know a share of 5 % to 3 points.
#[test]
fn independent_noise_raises_few_false_alarms_and_hides_few_effects() {
    let row = row(Noise::Independent, 200);
    assert!(row.any_false() < 0.1 && row.coverage() > 0.9, "{:?}", row.counts);
    assert!((0.03..0.07).contains(&row.raw_false()));
    assert!(row.power() > 0.8);
}

#[test]
fn linear_drift_costs_nothing() {
    let (still, drifting) = (row(Noise::Independent, 50).counts, row(Noise::Linear, 50).counts);
    assert_eq!(
        (still.any_false, still.raw_false, still.found),
        (drifting.any_false, drifting.raw_false, drifting.found)
    );
    assert!(drifting.rival.welch_false > 5 * still.rival.welch_false);
}

#[test]
fn carry_over_does_not_become_a_false_difference() {
    assert!(row(Noise::Carry, 200).any_false() < 0.1);
}

#[test]
fn recorded_noise_fools_the_common_ways_and_not_ours() {
    let [decode, ..] = built_in_traces().unwrap();
    let row = row(Noise::Recorded(decode), 200);
    let rival = row.counts.rival;
    assert!(row.any_false() < 0.1);
    assert!(rival.welch_false as f64 > 0.15 * rival.welch_edges as f64);
    assert!(rival.single_false as f64 > 0.25 * rival.single_pairs as f64);
}

#[test]
fn the_same_seed_gives_the_same_counts() {
    assert_eq!(simulate(&scenario(Noise::Bursts), 9, 21), simulate(&scenario(Noise::Bursts), 9, 21));
    assert_ne!(simulate(&scenario(Noise::Bursts), 9, 21), simulate(&scenario(Noise::Bursts), 10, 21));
}

#[test]
fn the_self_test_covers_every_kind_on_both_grids_and_three_lengths() {
    let traces = built_in_traces().unwrap();
    assert_eq!(scenarios(&traces).len(), 14 * 2 * 3);
    let mut seen = 0;
    let chosen: Vec<Scenario> = scenarios(&traces).into_iter().step_by(42).collect();
    let rows = run_selftest(chosen, 1, 4, |_| seen += 1);
    assert_eq!((rows.len(), seen), (2, 2));
    let table = render(&rows);
    assert!(table.contains("| independent | 3x2x2   |      6 |"), "{table}");
    assert!(table.ends_with('\n'));
}

#[test]
fn a_row_that_misses_its_limits_says_which() {
    let mut bad = row(Noise::Independent, 40);
    bad.counts.any_false = 20;
    bad.counts.found = 0;
    let failures = bad.failures();
    assert!(failures.iter().any(|failure| failure.contains("50.0 % of plans")), "{failures:?}");
    assert!(failures.iter().any(|failure| failure.starts_with("power 0.0 % where 92.0 %")), "{failures:?}");
    assert!(render(&[bad]).contains("FAILED independent, 3x2x2, 6 blocks"));
}

#[test]
fn a_trace_is_read_by_column_and_a_bad_line_is_named() {
    let text = "# a comment\nseconds,speed\n0,2.0\n1,4.0\n";
    let trace = Trace::from_csv("mine", text, "speed").unwrap();
    assert_close(trace.logs[1] - trace.logs[0], 2.0_f64.ln(), 1e-12);
    assert_eq!(Trace::from_csv("mine", text, "rate"), Err(TraceError::NoColumn("rate".into())));
    let bad = Trace::from_csv("mine", "speed\n1\n-2\n", "speed");
    assert_eq!(bad, Err(TraceError::NotPositive { line: 3, text: "-2".into() }));
    assert_eq!(Trace::from_csv("mine", "speed\n1\n", "speed"), Err(TraceError::TooShort(1)));
}

/// Reference: `scipy.stats.ttest_ind(equal_var=False)`.
#[test]
fn welch_agrees_with_scipy() {
    let p = welch_p(&[20.1, 21.3, 19.8, 22.4, 20.9], &[23.5, 25.1, 22.2, 24.8]);
    assert_close(p, 0.011_276_008_704_649_865, 1e-9);
}
