//! What a store refuses, and when it begins anew.

use crate::support::desk::{Desk, plan};
use crate::support::record::record;
use planrun::record::Store;
use std::fs;
use std::path::Path;

fn made() -> Desk {
    let desk = Desk::new(&plan(r#"quantization = ["q8_0", "q4_0"]"#, "blocks = 1"));
    assert_eq!(desk.run_plan(&[]).code, 0);
    desk
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{}: no {from}", path.display());
    fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn a_record_of_another_plan_is_refused_by_name() {
    let desk = made();
    let ours = desk.store();
    assert_eq!(desk.run_plan(&["--set", "settings.max_tokens=32"]).code, 0);
    let theirs = desk.stores().into_iter().find(|store| *store != ours).unwrap();
    fs::copy(theirs.join("runs/quality-c0001.json"), ours.join("runs/quality-c0001.json")).unwrap();
    let ended = desk.run_plan(&[]);
    assert_eq!(ended.code, 1, "{}", ended.out);
    assert!(ended.err.contains("quality-c0001.json: this record belongs to plan"), "{}", ended.err);
}

#[test]
fn a_record_under_another_name_is_refused() {
    let desk = made();
    fs::copy(desk.record_path("quality-c0001"), desk.record_path("quality-c0000")).unwrap();
    let ended = desk.run_plan(&[]);
    assert_eq!(ended.code, 1);
    assert!(ended.err.contains("the record inside is that of run `quality-c0001`"), "{}", ended.err);
}

#[test]
fn a_damaged_record_is_named_with_its_place() {
    let desk = made();
    fs::write(desk.record_path("quality-c0001"), "{\"format\": 1").unwrap();
    let ended = desk.run_plan(&[]);
    assert_eq!(ended.code, 1);
    assert!(ended.err.contains("quality-c0001.json: EOF"), "{}", ended.err);
}

#[test]
fn a_schedule_that_was_edited_is_refused() {
    let desk = made();
    edit(&desk.store().join("schedule.json"), "\"alpha\":0.05", "\"alpha\":0.1");
    let ended = desk.run_plan(&[]);
    assert_eq!(ended.code, 1);
    assert!(ended.err.contains("schedule.json: the schedule's fingerprint is"), "{}", ended.err);
}

#[test]
fn what_was_declared_before_the_first_run_cannot_be_declared_otherwise_later() {
    let desk = made();
    fs::remove_file(desk.record_path("quality-c0001")).unwrap();
    let text = plan(r#"quantization = ["q8_0", "q4_0"]"#, "blocks = 1");
    desk.write_plan(&format!("{text}\n[compare]\nalpha = 0.1\n"));
    let ended = desk.run_plan(&[]);
    assert_eq!(ended.code, 1, "{}", ended.out);
    assert!(ended.err.contains("`declared` was declared before the first run"), "{}", ended.err);
    assert_eq!(desk.run_plan(&["--fresh"]).code, 0);
    assert_eq!(desk.stores().len(), 2);
}

#[test]
fn another_build_begins_a_new_store_and_says_so() {
    let desk = made();
    fs::remove_file(desk.record_path("quality-c0001")).unwrap();
    let origin = fs::read_to_string(desk.store().join("origin.json")).unwrap();
    let build = desk.records()[0].context.planrun.clone().unwrap();
    assert!(origin.contains(&build));
    edit(&desk.store().join("origin.json"), &build, &"0".repeat(64));
    let ended = desk.run_plan(&[]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.err.contains("begins a new store"), "{}", ended.err);
    assert_eq!(desk.stores().len(), 2);
}

#[test]
fn what_killed_writers_left_is_swept_away() {
    let desk = made();
    fs::remove_file(desk.record_path("quality-c0001")).unwrap();
    let part = desk.store().join("runs/quality-c0001.json.part-77");
    fs::write(&part, "{\"for").unwrap();
    assert_eq!(desk.run_plan(&[]).code, 0);
    assert!(!part.exists());
    assert_eq!(desk.records().len(), 9);
}

#[test]
fn a_plan_outside_the_folder_of_its_store_is_found_from_there() {
    let desk = Desk::new(&plan(r#"quantization = ["q8_0", "q4_0"]"#, "blocks = 1"));
    fs::rename(desk.at("plans"), desk.at("elsewhere")).unwrap();
    fs::create_dir(desk.at("here")).unwrap();
    let file = desk.at("elsewhere/desk.toml").display().to_string();
    let made = desk.command(&["run", &file]).current_dir(desk.at("here")).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let store = fs::read_dir(desk.at("here/.planrun")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(Store::at(&store).unwrap().origin().file.as_deref(), Some("../elsewhere/desk.toml"));
    // From any folder: the tasks that the plan names are found beside it.
    let ended = desk.run(&["report", &store.display().to_string()]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let report = fs::read_to_string(store.join("report.md")).unwrap();
    assert!(report.contains("planrun run ../elsewhere/desk.toml"), "{report}");
}

#[test]
fn servers_of_others_are_read_from_their_own_key_and_from_the_warnings_of_older_records() {
    let mut record = record(1);
    record.warnings = vec![
        "another inference server was running (ollama, pid 12)".to_owned(),
        "an earlier attempt failed: no room".to_owned(),
    ];
    assert_eq!(record.beside_servers().collect::<Vec<_>>(), ["ollama, pid 12"]);
    assert_eq!(record.other_warnings().collect::<Vec<_>>(), ["an earlier attempt failed: no room"]);
    record.context.beside = vec!["llama-server, pid 4711".to_owned()];
    assert_eq!(record.beside_servers().collect::<Vec<_>>(), ["llama-server, pid 4711", "ollama, pid 12"]);
}

#[test]
fn a_fresh_store_is_told_as_such_and_is_the_one_that_later_commands_go_on_with() {
    let desk = made();
    let ended = desk.run_plan(&["--fresh"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.err.contains("a fresh store was asked for"), "{}", ended.err);
    assert!(!ended.err.contains("another machine"), "{}", ended.err);
    let record = |store: usize| desk.stores()[store].join("runs/quality-c0001.json");
    for arguments in [&[][..], &["--retry-failed"]] {
        for store in 0..2 {
            fs::write(record(store), "").and_then(|()| fs::remove_file(record(store))).unwrap();
        }
        let ended = desk.run_plan(arguments);
        assert_eq!(ended.code, 0, "{}", ended.err);
        assert_eq!((record(0).exists(), record(1).exists()), (false, true), "{arguments:?}");
    }
    assert_eq!(desk.stores().len(), 2);
}
