//! `planrun compare` and `planrun explain` on the command line.

use crate::support::record::{measured, quantize, record, think};
use assert_cmd::Command;
use planrun::record::RunRecord;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn keep(folder: &Path, name: &str, record: &RunRecord) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, serde_json::to_string_pretty(record).unwrap()).unwrap();
    path
}

fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("planrun").unwrap().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn pair(change: impl Fn(&mut RunRecord)) -> (TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut before = record(8);
    think(&mut before, false);
    measured(&mut before, "decode_tok_s", 100.0);
    let mut after = before.clone();
    change(&mut after);
    let one = keep(folder.path(), "a.json", &before).display().to_string();
    let other = keep(folder.path(), "b.json", &after).display().to_string();
    (folder, one, other)
}

#[test]
fn a_legal_pair_exits_with_0_and_names_the_one_field() {
    let (_folder, one, other) = pair(|after| {
        quantize(after, "q4_0", 4.5);
        measured(after, "decode_tok_s", 110.0);
    });
    let (code, out, _) = run(&["compare", &one, &other]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("varied: quantization (q8_0 -> q4_0)"), "{out}");
    assert!(out.contains("n = 1 a side: no noise estimate"), "{out}");
    assert!(out.contains("+10.0 %"), "{out}");
}

#[test]
fn an_illegal_pair_exits_with_4_and_names_every_field() {
    let (_folder, one, other) = pair(|after| {
        quantize(after, "q4_0", 4.5);
        think(after, true);
    });
    let (code, out, _) = run(&["compare", &one, &other]);
    assert_eq!(code, 4, "{out}");
    assert!(out.contains("2 controlled fields vary (quantization, thinking)"), "{out}");
    assert!(!out.contains('%'), "no delta is printed: {out}");
}

#[test]
fn a_store_is_named_with_its_run() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("runs")).unwrap();
    let before = record(2);
    let mut after = before.clone();
    after.id = "quality-c0001".into();
    quantize(&mut after, "q4_0", 4.5);
    keep(&folder.path().join("runs"), "quality-c0000.json", &before);
    keep(&folder.path().join("runs"), "quality-c0001.json", &after);
    let name = |id: &str| format!("{}:{id}", folder.path().display());
    let (code, out, err) = run(&["compare", &name("quality-c0000"), &name("quality-c0001")]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, _, err) = run(&["compare", &name("quality-c0000"), &name("quality-c0009")]);
    assert_eq!(code, 1);
    assert!(err.contains("no run `quality-c0009`"), "{err}");
}

#[test]
fn what_is_no_record_is_told_with_its_path() {
    let (folder, one, _) = pair(|_| ());
    let absent = folder.path().join("absent.json").display().to_string();
    let (code, _, err) = run(&["compare", &one, &absent]);
    assert_eq!(code, 1);
    assert!(err.contains("absent.json"), "{err}");
    let foreign = folder.path().join("foreign.json");
    fs::write(&foreign, "{\"not\": \"a record\"}").unwrap();
    let (code, _, err) = run(&["compare", &one, &foreign.display().to_string()]);
    assert_eq!(code, 1);
    assert!(err.contains("foreign.json"), "{err}");
}

#[test]
fn a_record_of_a_newer_format_is_told_as_such() {
    let (_folder, one, other) = pair(|after| after.format = 1000);
    let (code, _, err) = run(&["compare", &one, &other]);
    assert_eq!(code, 1);
    assert!(err.contains("format 1000") && err.contains("newer planrun"), "{err}");
}

#[test]
fn a_misspelled_field_gets_the_nearest_name() {
    let (_folder, one, other) = pair(|_| ());
    let (code, _, err) = run(&["compare", &one, &other, "--assume", "hardwear"]);
    assert_eq!(code, 2);
    assert!(err.contains("did you mean `hardware`?"), "{err}");
}

#[test]
fn explain_shows_each_field_and_the_legal_steps() {
    let (_folder, one, other) = pair(|after| {
        quantize(after, "q4_0", 4.5);
        think(after, true);
    });
    let (code, out, _) = run(&["explain", &one, &other]);
    assert_eq!(code, 0);
    assert!(out.contains("kv_cache_dtype"), "{out}");
    assert!(out.contains("1. quantization: q8_0 -> q4_0"), "{out}");
    assert!(out.contains("2. thinking: "), "{out}");
}
