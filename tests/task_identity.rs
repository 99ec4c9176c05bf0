//! Fingerprints of task sets, and what differs between two.

use planrun::fingerprint;
use planrun::task::{TaskKey, TaskSet, diff};
use std::path::Path;

fn set(lines: &[&str]) -> TaskSet {
    TaskSet::parse(Path::new("t.jsonl"), lines.join("\n").as_bytes()).unwrap()
}

#[test]
fn the_fingerprint_of_plain_tasks_is_that_of_prompt_and_expected_each_ended_by_nul() {
    let tasks = set(&[r#"{"prompt":"2+2?","expected":"4"}"#, r#"{"prompt":"Hi"}"#]);
    assert_eq!(tasks.fingerprint(), fingerprint::of_bytes(b"2+2?\x004\0Hi\0\0"));
}

#[test]
fn ids_do_not_count_but_order_does() {
    let (a, b) = (r#"{"prompt":"a","expected":"1"}"#, r#"{"prompt":"b","expected":"2"}"#);
    let named = r#"{"id":"n","prompt":"a","expected":"1"}"#;
    assert_eq!(set(&[a, b]).fingerprint(), set(&[named, b]).fingerprint());
    assert_ne!(set(&[a, b]).fingerprint(), set(&[b, a]).fingerprint());
}

#[test]
fn every_field_that_can_change_prompt_or_score_counts() {
    let lines = [
        r#"{"prompt":"a","expected":"1"}"#,
        r#"{"prompt":"a"}"#,
        r#"{"prompt":"a","expected":["1","2"]}"#,
        r#"{"prompt":"a","expected":"1","choices":["1","2"]}"#,
        r#"{"prompt":"a","expected":"1","choices":["2","1"]}"#,
        r#"{"prompt":"a","expected":"1","group":"g"}"#,
        r#"{"messages":[{"role":"user","content":"a"}],"expected":"1"}"#,
        r#"{"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"}],"expected":"1"}"#,
    ];
    let mut prints: Vec<String> = lines.iter().map(|line| set(&[line]).fingerprint()).collect();
    prints.sort();
    prints.dedup();
    assert_eq!(prints.len(), lines.len());
}

#[test]
fn a_list_of_one_answer_is_that_answer() {
    let one = set(&[r#"{"prompt":"a","expected":"1"}"#]);
    assert_eq!(one.fingerprint(), set(&[r#"{"prompt":"a","expected":["1"]}"#]).fingerprint());
}

#[test]
fn tasks_added_under_the_same_name_are_listed() {
    let eight: Vec<String> = (1..=8).map(|i| format!(r#"{{"id":"{i}","prompt":"p{i}"}}"#)).collect();
    let ten: Vec<String> = (1..=10).map(|i| format!(r#"{{"id":"{i}","prompt":"p{i}"}}"#)).collect();
    let lines = |all: &[String]| set(&all.iter().map(String::as_str).collect::<Vec<_>>()).keys();
    let found = diff(&lines(&eight), &lines(&ten));
    assert_eq!(found.to_string(), "2 tasks added (9, 10)");
}

#[test]
fn removed_changed_and_reordered_tasks_are_told_apart() {
    let before = keys(&[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]);
    let after = keys(&[("b", "2"), ("a", "1"), ("c", "other")]);
    let found = diff(&before, &after);
    assert_eq!((found.removed, found.changed, found.added.len()), (vec!["d".into()], vec!["c".into()], 0));
    assert!(found.reordered);
}

#[test]
fn shifted_line_numbers_are_no_change() {
    let before = keys(&[("1", "x"), ("2", "y")]);
    let after = keys(&[("1", "new"), ("2", "x"), ("3", "y")]);
    let found = diff(&before, &after);
    assert_eq!((found.added.len(), found.removed.len(), found.changed.len()), (1, 0, 0));
    assert!(!found.reordered);
}

#[test]
fn equal_sets_do_not_differ_even_when_a_task_stands_twice() {
    let twice = keys(&[("1", "x"), ("2", "x")]);
    assert!(diff(&twice, &twice).is_empty());
    assert_eq!(diff(&twice, &twice[..1]).removed, ["2"]);
}

fn keys(pairs: &[(&str, &str)]) -> Vec<TaskKey> {
    pairs.iter().map(|&(id, content)| TaskKey { id: id.into(), content: content.into() }).collect()
}
