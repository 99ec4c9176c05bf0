//! Task files are read whole, or refused with file, line and remedy.

use planrun::generation::Role;
use planrun::task::{Question, TaskSet};
use std::path::Path;

fn read(bytes: impl AsRef<[u8]>) -> TaskSet {
    TaskSet::parse(Path::new("t.jsonl"), bytes.as_ref()).unwrap()
}

fn refusal(bytes: impl AsRef<[u8]>) -> String {
    TaskSet::parse(Path::new("t.jsonl"), bytes.as_ref()).unwrap_err().to_string()
}

/// Asserts that a refusal names the place and holds every given piece.
fn refused(bytes: impl AsRef<[u8]>, place: &str, pieces: &[&str]) {
    let message = refusal(bytes);
    assert!(message.starts_with(place), "{message}");
    assert!(pieces.iter().all(|piece| message.contains(piece)), "{message}");
}

#[test]
fn a_line_may_carry_every_key() {
    let line = r#"{"id":"a","prompt":"Pick","expected":["B","two"],"choices":["one","two"],"group":"g"}"#;
    let set = read(line);
    let task = &set.tasks[0];
    assert_eq!((task.id.as_str(), task.prompt(), task.group.as_deref()), ("a", "Pick", Some("g")));
    assert_eq!(
        (task.expected.clone(), task.choices.clone()),
        (vec!["B".into(), "two".into()], vec!["one".into(), "two".into()])
    );
}

#[test]
fn messages_stand_for_a_prompt() {
    let set = read(
        r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Ho"},{"role":"user","content":"And?"}]}"#,
    );
    assert_eq!(set.tasks[0].prompt(), "And?");
    let Question::Messages(turns) = &set.tasks[0].question else { panic!("no messages") };
    assert_eq!(turns[1].role, Role::Assistant);
}

#[test]
fn byte_order_mark_crlf_and_blank_lines_change_nothing() {
    let plain = read("{\"prompt\":\"a\"}\n{\"prompt\":\"b\"}\n");
    let odd = read("\u{feff}\r\n{\"prompt\":\"a\"}\r\n\r\n  \n{\"prompt\":\"b\"}");
    assert_eq!((odd.len(), odd.fingerprint()), (2, plain.fingerprint()));
}

#[test]
fn line_separators_inside_a_value_do_not_end_a_line() {
    let set = read("{\"prompt\":\"a\u{2028}b\u{85}c\"}\n");
    assert_eq!((set.len(), set.tasks[0].prompt()), (1, "a\u{2028}b\u{85}c"));
}

#[test]
fn a_task_without_an_id_gets_the_number_of_its_line() {
    let set = read("\n{\"prompt\":\"a\"}\n{\"id\":7,\"prompt\":\"b\"}");
    assert_eq!([set.tasks[0].id.as_str(), set.tasks[1].id.as_str()], ["2", "7"]);
}

#[test]
fn a_duplicate_id_is_refused_with_both_lines() {
    refused(
        "{\"id\":\"x\",\"prompt\":\"a\"}\n{\"id\":\"x\",\"prompt\":\"b\"}",
        "t.jsonl:2:",
        &["`x`", "line 1"],
    );
}

#[test]
fn other_encodings_are_refused_with_the_command_that_converts_them() {
    let utf16: Vec<u8> = "\u{feff}{\"prompt\":\"a\"}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    refused(&utf16, "t.jsonl:1:", &["UTF-16", "iconv -f utf-16"]);
    refused(&utf16[2..], "t.jsonl:1:", &["UTF-16"]);
    refused(b"{\"prompt\":\"a\"}\n{\"prompt\":\"caf\xe9\"}", "t.jsonl:2:", &["0xe9", "iconv -f latin1"]);
}

#[test]
fn a_line_that_is_cut_off_is_refused() {
    refused("{\"prompt\":\"a\"}\n{\"prompt\":\"b", "t.jsonl:2:", &["cut off", "incomplete"]);
}

#[test]
fn one_object_over_several_lines_is_refused() {
    refused(
        "{\n\"prompt\":\"a\"\n}\n{\"prompt\":\"b\"}",
        "t.jsonl:1:",
        &["does not end on its line", "jq -c ."],
    );
}

#[test]
fn an_array_is_refused_with_the_command_that_turns_it_into_lines() {
    refused("[{\"prompt\":\"a\"},\n{\"prompt\":\"b\"}]", "t.jsonl:1:", &["JSON array", "jq -c '.[]'"]);
    refused("[{\"prompt\":\"a\"}]", "t.jsonl:1:", &["JSON array"]);
}

#[test]
fn a_file_without_tasks_is_refused() {
    refused("\n \r\n", "t.jsonl: no task", &["prompt"]);
}

#[test]
fn keys_of_other_harnesses_are_refused_with_the_nearest_mapping() {
    let gsm8k = r#"{"question":"q","answer":"steps\n#### 18"}"#;
    refused(
        gsm8k,
        "t.jsonl:1:",
        &["`question`", "{prompt: .question, expected: (.answer | split(\"#### \")[1])}"],
    );
    let options = r#"{"question":"q","options":["(A)1","(B)2"],"label":"A","answer":null}"#;
    refused(options, "t.jsonl:1:", &["{prompt: .question, expected: .label, choices: .options}"]);
    let turns = r#"{"question_id":81,"category":"writing","turns":["a","b"]}"#;
    refused(turns, "t.jsonl:1:", &["id: (.question_id | tostring)", "prompt: .turns[0]", "group: .category"]);
}

#[test]
fn a_misspelt_key_is_refused_with_the_right_one() {
    refused(r#"{"promt":"a"}"#, "t.jsonl:1:", &["`promt`", "did you mean `prompt`"]);
}

#[test]
fn a_line_that_asks_nothing_is_refused() {
    refused(r#"{"expected":"4"}"#, "t.jsonl:1:", &["no `prompt`"]);
    refused(r#"{"prompt":" "}"#, "t.jsonl:1:", &["`prompt` is empty"]);
    refused(r#"{"messages":[]}"#, "t.jsonl:1:", &["waits for a reply"]);
    refused(r#"{"prompt":"a","messages":[{"role":"user","content":"a"}]}"#, "t.jsonl:1:", &["keep one"]);
}

#[test]
fn values_of_the_wrong_kind_are_refused() {
    refused(r#"{"prompt":"2+2","expected":4}"#, "t.jsonl:1:", &["expected", "numbers go in quotes"]);
    refused(r#"{"prompt":"a","expected":""}"#, "t.jsonl:1:", &["empty answer", "null"]);
    refused(r#"{"prompt":"a","expected":[]}"#, "t.jsonl:1:", &["empty list"]);
    refused(r#"{"prompt":"a","choices":["one"]}"#, "t.jsonl:1:", &["1 options"]);
    refused(r#"{"prompt":"a","choices":["one","one"]}"#, "t.jsonl:1:", &["twice"]);
    refused(r#"{"prompt":"a","prompt":"b"}"#, "t.jsonl:1:", &["duplicate field `prompt`"]);
    refused(r#"{"prompt":"a\u0000b"}"#, "t.jsonl:1:", &["U+0000"]);
    refused("\"text\"", "t.jsonl:1:", &["no JSON object"]);
}

#[test]
fn a_missing_file_is_named() {
    let error = TaskSet::read(Path::new("nowhere/t.jsonl")).unwrap_err().to_string();
    assert!(error.starts_with("nowhere/t.jsonl: ") && error.contains("check the path"), "{error}");
}
