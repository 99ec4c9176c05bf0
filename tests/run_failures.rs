//! A failed run is a record, and the others go on.

use crate::support::desk::{Desk, plan};
use planrun::record::{FailureKind, Outcome, RunRecord};
use std::fs;

/// One good cell and one that follows this script.
fn beside(script: &str, schedule: &str) -> Desk {
    Desk::new(&plan(&format!(r#"model = ["scripted", "scripted:{script}"]"#), schedule))
}

fn kinds(records: &[RunRecord], cell: u32) -> Vec<Option<FailureKind>> {
    let of_cell = records.iter().filter(|record| record.cell == cell);
    of_cell
        .map(|record| match &record.outcome {
            Outcome::Done => None,
            Outcome::Failed { kind, error } => {
                assert!(!error.is_empty());
                Some(*kind)
            }
        })
        .collect()
}

fn fails_as(script: &str, kind: FailureKind, code: i32) -> Desk {
    let desk = beside(script, "blocks = 1\ntimeout_s = 1");
    let ended = desk.run_plan(&[]);
    assert_eq!(ended.code, code, "{}{}", ended.out, ended.err);
    let records = desk.records();
    assert!(kinds(&records, 0).iter().all(Option::is_none), "the good cell goes on: {}", ended.err);
    assert_eq!(kinds(&records, 1), vec![Some(kind); 3]);
    assert!(ended.out.contains("3 failed"), "{}", ended.out);
    desk
}

#[test]
fn a_crash_is_recorded_by_the_parent() {
    fails_as("crash", FailureKind::Crashed, 5);
}

#[test]
fn a_run_that_hangs_is_ended_after_the_timeout() {
    fails_as("slow", FailureKind::Timeout, 5);
}

#[test]
fn a_kill_that_was_not_for_want_of_memory_is_a_crash() {
    let desk = fails_as("oom", FailureKind::Crashed, 5);
    let killed = desk.records().into_iter().find(|record| record.id == "quality-c0001").unwrap();
    let Outcome::Failed { error, .. } = killed.outcome else { panic!("{:?}", killed.outcome) };
    assert!(error.starts_with("ended with signal 9 (killed); perhaps for want of memory: "), "{error}");
    let report = fs::read_to_string(desk.store().join("report.md")).unwrap();
    assert!(report.contains(&error), "the report names what befell the run");
    assert!(report.contains("was not judged: each of its edges was refused or lacks a run"), "{report}");
}

#[test]
fn an_allocation_that_fails_is_want_of_memory_and_says_how_much() {
    let desk = fails_as("starves", FailureKind::OutOfMemory, 5);
    let starved = desk.records().into_iter().find(|record| record.id == "quality-c0001").unwrap();
    let Outcome::Failed { error, .. } = starved.outcome else { panic!("{:?}", starved.outcome) };
    assert_eq!(error, "ended for want of memory: memory allocation of 8192 bytes failed");
}

#[test]
fn an_engine_that_fails_is_recorded_with_its_error() {
    let desk = fails_as("fails", FailureKind::Engine, 5);
    let status = desk.run(&["status", "plans/desk.toml"]);
    assert_eq!(status.code, 5);
    assert!(status.out.contains("quality-c0001: all 3 generations failed"), "{}", status.out);
}

#[test]
fn an_engine_that_cannot_be_opened_has_an_exit_code_of_its_own() {
    fails_as("missing", FailureKind::EngineUnavailable, 6);
}

#[test]
fn replies_that_think_although_thinking_is_off_void_the_run_and_are_kept() {
    let desk = beside("thinks", "blocks = 1");
    assert_eq!(desk.run_plan(&[]).code, 5);
    let record = desk.records().into_iter().find(|record| record.id == "quality-c0001").unwrap();
    let Outcome::Failed { kind, error } = &record.outcome else { panic!("{:?}", record.outcome) };
    assert_eq!(*kind, FailureKind::Void);
    assert!(error.contains("think"), "{error}");
    assert_eq!(record.items.len(), 3);
    assert!(record.items[0].text.contains("<think>"));
}

#[test]
fn failed_runs_stay_until_they_are_asked_for_again() {
    let desk = fails_as("fails", FailureKind::Engine, 5);
    let before = desk.records();
    assert_eq!(desk.run_plan(&[]).code, 5);
    assert_eq!(desk.records(), before, "nothing is run");
    assert_eq!(desk.run_plan(&["--retry-failed"]).code, 5);
    let again = desk.records().into_iter().find(|record| record.id == "quality-c0001").unwrap();
    assert!(
        again.warnings.iter().any(|line| line.contains("an earlier attempt failed")),
        "{:?}",
        again.warnings
    );
}

#[test]
fn a_task_file_that_changes_under_a_session_voids_nothing_silently() {
    let desk = Desk::new(&plan(r#"quantization = ["q8_0", "q4_0"]"#, "blocks = 1"));
    desk.run_plan(&[]);
    fs::write(desk.at("plans/tasks.jsonl"), "{\"id\":\"a\",\"prompt\":\"say yes\",\"expected\":\"yes\"}\n")
        .unwrap();
    assert_eq!(desk.run_plan(&[]).code, 0);
    assert_eq!(desk.stores().len(), 2, "other tasks are another plan");
}
