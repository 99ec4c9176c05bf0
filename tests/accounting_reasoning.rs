//! Reasoning in all the ways in which servers send it. The table of all cases: `docs/accounting.md`.

use crate::support::asking::{Told, apart, delta, done, event, finish, says, streamed, usage};
use crate::support::scripted_server::Act;
use planrun::generation::StopReason;
use serde_json::json;

fn thinks(field: &str, text: &str) -> Act {
    event(&delta(&json!({ field: text })))
}

fn told(acts: Vec<Act>, tokens: u32, reason: &str) -> Told {
    streamed(apart(acts.into_iter().chain([finish(reason), usage(5, tokens), done()]).collect())).unwrap()
}

/// The first token is one of the reasoning, and the answer begins later.
fn assert_reasoned(told: &Told) {
    assert_eq!(told.item.text, "<think>\nLet me see\n</think>\n\nIt is 4");
    assert_eq!(told.item.answer.as_deref(), Some("It is 4"));
    assert!(told.item.ttft_s.unwrap() < told.item.ttfo_s.unwrap());
    assert!(told.item.ttfo_s.unwrap() < told.item.full_s.unwrap());
    assert_eq!((told.item.reply_tokens, told.item.decode_tokens), (Some(4), Some(3)));
}

#[test]
fn reasoning_comes_in_a_field_called_reasoning() {
    let acts = vec![thinks("reasoning", "Let me"), thinks("reasoning", " see"), says("It is"), says(" 4")];
    assert_reasoned(&told(acts, 4, "length"));
}

#[test]
fn reasoning_comes_in_a_field_called_reasoning_content() {
    let field = "reasoning_content";
    assert_reasoned(&told(
        vec![thinks(field, "Let me"), thinks(field, " see"), says("\n\nIt is"), says(" 4")],
        4,
        "length",
    ));
}

#[test]
fn reasoning_that_comes_under_both_names_is_one() {
    let both = |text: &str| event(&delta(&json!({ "reasoning": text, "reasoning_content": text })));
    assert_reasoned(&told(vec![both("Let me"), both(" see"), says("It is"), says(" 4")], 4, "length"));
}

#[test]
fn reasoning_comes_in_the_text_between_marks() {
    let acts = vec![says("<think>\nLet me"), says(" see\n</think>\n\n"), says("It is"), says(" 4")];
    assert_reasoned(&told(acts, 4, "length"));
}

#[test]
fn reasoning_that_the_servers_template_opened_gets_its_mark_back() {
    let acts = vec![says("Let me"), says(" see\n</think>\n\n"), says("It is"), says(" 4")];
    assert_reasoned(&told(acts, 4, "length"));
}

#[test]
fn reasoning_that_used_up_the_limit_is_no_answer() {
    for acts in [
        vec![thinks("reasoning", "Let me"), thinks("reasoning", " see")],
        vec![says("<think>\nLet me"), says(" see")],
    ] {
        let told = told(acts, 2, "length");
        assert_eq!(told.item.text, "<think>\nLet me see");
        assert_eq!((told.item.answer.as_deref(), told.item.ttfo_s), (None, None));
        assert_eq!(told.item.stop, Some(StopReason::Context));
        assert!(told.metric("unanswered_share").is_some_and(|share| share > 0.99));
    }
}

#[test]
fn a_reply_without_reasoning_answers_from_its_first_token() {
    let told = told(vec![says("It is"), says(" 4")], 2, "length");
    assert_eq!(told.item.ttfo_s, told.item.ttft_s);
}
