//! Simulated plans through a plan file, a store and a report, held against the statistics.

use planrun::cli::selftest::{Rehearsal, differences, rehearse, spread};
use planrun::record::save_record;
use planrun::stats::simulation::{Grid, Noise, Scenario, SimulatedPlan, built_in_traces, scenarios};
use std::collections::BTreeSet;

const SEED: u64 = 5;

fn scenario(noise: Noise, levels: &[usize], effect: f64) -> Scenario {
    Scenario { noise, grid: Grid::new(levels), blocks: 6, effect }
}

fn simulated(scenario: &Scenario, plan: u64) -> SimulatedPlan {
    SimulatedPlan::of(scenario, SEED, SimulatedPlan::next_in_toml(SEED, plan)).unwrap()
}

#[test]
fn reports_say_what_the_statistics_say_and_an_effect_shows() {
    let [decode, ..] = built_in_traces().unwrap();
    let effect = 1.02_f64.ln();
    let plans = [
        scenario(Noise::Independent, &[3, 2, 2], effect),
        scenario(Noise::Recorded(decode), &[3, 2], 0.0),
        scenario(Noise::Bursts, &[2, 2, 2, 2], effect),
    ];
    let mut heard = Vec::new();
    let found = rehearse(&plans, SEED, |line| heard.push(line.to_owned()));
    assert!(found.disagreements.is_empty(), "{found:?}");
    assert!(found.passed() && found.effects_found > 0, "{found:?}");
    assert_eq!((found.plans, found.records, found.edges), (3, 156 + 84 + 204, 24 + 9 + 32));
    assert_eq!(heard.len(), 3);
    assert!(
        heard.contains(&"independent, 3x2x2, 6 blocks, true difference 2 %: agrees".to_owned()),
        "{heard:?}"
    );
    assert!(found.render().starts_with("3 plans end to end (444 records through stores, 65 edges"));
}

#[test]
fn a_record_that_was_altered_is_noticed() {
    let scenario = scenario(Noise::HeavyTails, &[2, 2], 0.0);
    let simulated = simulated(&scenario, 0);
    let rehearsal = Rehearsal::of(&scenario, &simulated).unwrap();
    assert_eq!(differences(&rehearsal.report().unwrap(), &simulated), [""; 0]);
    let mut record = rehearsal.store().certified_records().unwrap().remove(0);
    let value = record.measurement.get_mut("decode_tok_s").unwrap().value.as_mut().unwrap();
    *value *= 1.05;
    save_record(&rehearsal.store().record_path(&record.id), &record).unwrap();
    let found = differences(&rehearsal.report().unwrap(), &simulated);
    assert!(found.iter().any(|line| line.contains("delta")), "{found:?}");
    assert!(found.iter().any(|line| line.contains("noise floor")), "{found:?}");
}

#[test]
fn a_record_that_is_gone_is_noticed() {
    let scenario = scenario(Noise::Independent, &[2, 2], 0.0);
    let simulated = simulated(&scenario, 0);
    let rehearsal = Rehearsal::of(&scenario, &simulated).unwrap();
    for id in rehearsal.store().ids().unwrap().iter().take(9) {
        std::fs::remove_file(rehearsal.store().runs().join(format!("{id}.json"))).unwrap();
    }
    assert!(!differences(&rehearsal.report().unwrap(), &simulated).is_empty());
}

#[test]
fn an_effect_that_the_records_do_not_have_is_noticed() {
    let with = simulated(&scenario(Noise::Independent, &[2, 2], 1.02_f64.ln()), 0);
    let without = scenario(Noise::Independent, &[2, 2], 0.0);
    let report = Rehearsal::of(&without, &simulated(&without, 0)).unwrap().report().unwrap();
    let found = differences(&report, &with);
    assert!(found.iter().any(|line| line.contains("verdict")), "{found:?}");
}

#[test]
fn a_placebo_that_fails_leaves_every_verdict_unresolved() {
    let scenario = scenario(Noise::Independent, &[2, 2], 0.0);
    let failing =
        (0..400).map(|plan| simulated(&scenario, plan)).find(|plan| plan.placebo.p() < 0.05).unwrap();
    let report = Rehearsal::of(&scenario, &failing).unwrap().report().unwrap();
    assert_eq!(differences(&report, &failing), [""; 0]);
    assert!(report.to_string().contains(r#""why":"placebo_failed""#));
}

#[test]
fn an_order_that_is_not_the_simulated_one_is_an_error() {
    let scenario = scenario(Noise::Independent, &[2, 2], 0.0);
    let mut simulated = simulated(&scenario, 0);
    simulated.order_seed += 1;
    let error = Rehearsal::of(&scenario, &simulated).err().unwrap().to_string();
    assert!(error.starts_with("the schedule is not the simulated one: run "), "{error}");
}

#[test]
fn twenty_choices_meet_every_kind_of_noise_both_grids_and_all_lengths() {
    let chosen = spread(&scenarios(&built_in_traces().unwrap()), 20);
    let count = |key: &dyn Fn(&Scenario) -> String| chosen.iter().map(key).collect::<BTreeSet<_>>().len();
    assert_eq!(count(&|scenario| scenario.noise.name().to_owned()), 14);
    assert_eq!(count(&|scenario| scenario.grid.name()), 2);
    assert_eq!(count(&|scenario| scenario.blocks.to_string()), 3);
    assert_eq!(chosen.iter().filter(|scenario| scenario.effect > 0.0).count(), 10);
}
