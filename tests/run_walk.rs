//! A plan from the command line to its records and its report.

use crate::support::desk::{Desk, plan, without_context};
use planrun::condition::{CacheState, Stated};
use planrun::record::{ArmKind, Outcome};
use std::fs;

const TWO_CELLS: &str = r#"quantization = ["q8_0", "q4_0"]"#;

#[test]
fn every_run_of_the_plan_gets_a_record_and_a_report_is_published() {
    let desk = Desk::new(&plan(TWO_CELLS, "blocks = 6"));
    let ended = desk.run(&["plans/desk.toml"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("39 of 39 runs measured, 0 failed, 0 missing"), "{}", ended.out);
    let records = desk.records();
    assert_eq!(
        records.iter().filter(|record| record.workload == "timing").count(),
        36,
        "6 blocks x 3 arms x 2"
    );
    assert_eq!(records.iter().filter(|record| record.arm == ArmKind::Control).count(), 13);
    assert!(records.iter().all(|record| record.outcome == Outcome::Done && !record.items.is_empty()));
    for name in ["report.md", "report.html", "report.json", "plan.toml", "schedule.json", "records.jsonl"] {
        assert!(desk.at("reports/desk").join(name).exists(), "{name}");
    }
    assert!(!desk.store().join("burn-in.json").exists());
}

#[test]
fn a_record_says_what_was_found_and_under_which_circumstances() {
    let desk = Desk::new(&plan(TWO_CELLS, "blocks = 1"));
    desk.run_plan(&[]);
    let record = desk.records().into_iter().find(|record| record.id == "quality-c0001").unwrap();
    let found = &record.condition.found;
    assert_eq!(found.quantization, Stated::Set("q4_0".to_owned()));
    assert_eq!(found.prefix_cache, Stated::Set(CacheState::Cold));
    assert!(found.hardware.get().is_some_and(|hardware| hardware.cores > 0));
    let prompts = found.prompt_fingerprint.get().unwrap();
    assert!(desk.store().join(format!("renders/{}.json", &prompts[..12])).exists());
    assert_eq!(record.warmup.len(), 1);
    assert_eq!(record.items.len(), 3);
    assert_eq!(record.context.planrun.as_ref().map(String::len), Some(64));
    assert!(record.context.started.ends_with('Z'), "{}", record.context.started);
}

#[test]
fn published_records_are_those_of_the_store_to_the_last_digit() {
    let desk = Desk::new(&plan(TWO_CELLS, "blocks = 2"));
    desk.run_plan(&[]);
    assert_eq!(desk.published(), desk.records());
    let bytes = |folder: &str| fs::metadata(desk.at(folder)).unwrap().len();
    let apart: u64 = fs::read_dir(desk.store().join("runs"))
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    assert!(bytes("reports/desk/records.jsonl") < apart / 2, "what records share is written once");
}

#[test]
fn a_complete_plan_runs_nothing_again_and_renders() {
    let desk = Desk::new(&plan(TWO_CELLS, "blocks = 2"));
    desk.run_plan(&[]);
    let before = desk.records();
    fs::remove_file(desk.store().join("report.md")).unwrap();
    let again = desk.run_plan(&[]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(desk.records(), before, "context and all");
    assert!(desk.store().join("report.md").exists());
}

#[test]
fn only_missing_runs_are_made_again() {
    let desk = Desk::new(&plan(TWO_CELLS, "blocks = 2"));
    desk.run_plan(&[]);
    let before = desk.records();
    let gone = "timing-b01-s0-p002";
    let kept = fs::read(desk.record_path(gone)).unwrap();
    fs::remove_file(desk.record_path(gone)).unwrap();
    assert_eq!(desk.run(&["status", "plans/desk.toml"]).code, 5);
    assert_eq!(desk.run_plan(&[]).code, 0);
    assert_ne!(fs::read(desk.record_path(gone)).unwrap(), kept, "made at another time");
    let strip = |records: Vec<_>| records.iter().map(without_context).collect::<Vec<_>>();
    assert_eq!(strip(desk.records()), strip(before));
}

#[test]
fn more_blocks_extend_the_store_and_are_told() {
    let desk = Desk::new(&plan(TWO_CELLS, "blocks = 2"));
    desk.run_plan(&[]);
    let before = desk.records();
    desk.write_plan(&plan(TWO_CELLS, "blocks = 3"));
    let ended = desk.run_plan(&[]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.err.contains("extended from 2 to 3 blocks after 15 runs"), "{}", ended.err);
    let after = desk.records();
    assert_eq!(after.len(), before.len() + 6);
    assert!(before.iter().all(|record| after.contains(record)), "earlier runs stay as they are");
    assert_eq!(desk.stores().len(), 1);
}

#[test]
fn quick_makes_two_blocks_and_publishes_nothing() {
    let desk = Desk::new(&plan(TWO_CELLS, "blocks = 6"));
    let ended = desk.run_plan(&["--quick"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert_eq!(desk.records().len(), 3 + 2 * 6);
    assert!(!desk.at("reports").exists());
    assert_eq!(desk.run_plan(&[]).code, 0);
    assert_eq!(desk.records().len(), 3 + 6 * 6);
}

#[test]
fn fewer_blocks_run_nothing_and_lose_nothing() {
    let desk = Desk::new(&plan(TWO_CELLS, "blocks = 3"));
    desk.run_plan(&[]);
    let before = desk.records();
    desk.write_plan(&plan(TWO_CELLS, "blocks = 1"));
    let ended = desk.run_plan(&[]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(desk.records(), before);
}

#[test]
fn an_override_is_another_plan_with_another_store() {
    let desk = Desk::new(&plan(TWO_CELLS, "blocks = 1"));
    desk.run_plan(&[]);
    let ended = desk.run_plan(&["--set", "settings.max_tokens=32"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(desk.stores().len(), 2);
}

#[test]
fn publishing_says_what_changed() {
    let desk = Desk::new(&plan(TWO_CELLS, "blocks = 2"));
    desk.run_plan(&[]);
    let again = desk.run_plan(&["--publish"]);
    assert!(again.out.contains("nothing changed"), "{}", again.out);
    fs::write(desk.at("reports/desk/report.md"), "by hand").unwrap();
    let left_alone = desk.run_plan(&[]);
    assert!(left_alone.out.contains("replace it with --publish"), "{}", left_alone.out);
    let replaced = desk.run_plan(&["--publish"]);
    assert!(replaced.out.contains("changed report.md"), "{}", replaced.out);
}
