//! From tasks to conversations.

use planrun::generation::{Message, Role};
use planrun::task::{Conversation, ConversationError, TaskSet};
use std::path::Path;

fn set(lines: &[&str]) -> TaskSet {
    TaskSet::parse(Path::new("t.jsonl"), lines.join("\n").as_bytes()).unwrap()
}

fn shown(turns: &[Message]) -> Vec<(Role, &str)> {
    turns.iter().map(|turn| (turn.role, turn.content.as_str())).collect()
}

const SUMS: &[&str] = &[
    r#"{"prompt":"1+1","expected":"2"}"#,
    r#"{"prompt":"2+2","expected":"4"}"#,
    r#"{"prompt":"3+3","expected":"6"}"#,
];

#[test]
fn a_prompt_becomes_one_user_turn() {
    let tasks = set(SUMS);
    let turns = Conversation::default().messages(&tasks.tasks[0]).unwrap();
    assert_eq!(shown(&turns), [(Role::User, "1+1")]);
}

#[test]
fn the_template_is_filled_once_and_braces_in_a_prompt_stay() {
    let tasks = set(&[r#"{"prompt":"Is {choices} or {prompt} right?","choices":["yes","no"]}"#]);
    let conversation =
        Conversation { template: Some("{prompt}\n{choices}\nLetter:"), ..Conversation::default() };
    let turns = conversation.messages(&tasks.tasks[0]).unwrap();
    assert_eq!(turns[0].content, "Is {choices} or {prompt} right?\nA. yes\nB. no\nLetter:");
}

#[test]
fn solved_examples_come_before_the_question_and_never_are_the_question() {
    let tasks = set(SUMS);
    let conversation =
        Conversation { system: Some("Add."), few_shot: 2, examples: Some(&tasks), ..Conversation::default() };
    let turns = conversation.messages(&tasks.tasks[1]).unwrap();
    assert_eq!(
        shown(&turns),
        [
            (Role::System, "Add."),
            (Role::User, "1+1"),
            (Role::Assistant, "2"),
            (Role::User, "3+3"),
            (Role::Assistant, "6"),
            (Role::User, "2+2"),
        ]
    );
}

#[test]
fn too_few_and_unsolved_examples_are_refused() {
    let tasks = set(SUMS);
    let three = Conversation { few_shot: 3, examples: Some(&tasks), ..Conversation::default() };
    assert!(
        three.check(&tasks).unwrap_err().to_string().contains("needs 3 solved examples, and there are 2")
    );
    let unsolved = set(&[r#"{"prompt":"a"}"#]);
    let one = Conversation { few_shot: 1, examples: Some(&unsolved), ..Conversation::default() };
    assert_eq!(one.check(&tasks), Err(ConversationError::Unsolved { id: "1".into() }));
}

#[test]
fn a_template_that_drops_the_question_or_lacks_its_options_is_refused() {
    let tasks = set(SUMS);
    let with = |template| Conversation { template: Some(template), ..Conversation::default() }.check(&tasks);
    assert_eq!(with("Answer."), Err(ConversationError::NoPrompt));
    assert_eq!(with("{prompt} {choices}"), Err(ConversationError::NoChoices { id: "1".into() }));
}

#[test]
fn a_conversation_keeps_its_own_system_turn_and_takes_no_second_one() {
    let tasks = set(&[r#"{"messages":[{"role":"system","content":"Own."},{"role":"user","content":"Hi"}]}"#]);
    let own = Conversation { template: Some("Q: {prompt}"), ..Conversation::default() };
    assert_eq!(
        shown(&own.messages(&tasks.tasks[0]).unwrap()),
        [(Role::System, "Own."), (Role::User, "Q: Hi")]
    );
    let both = Conversation { system: Some("Other."), ..Conversation::default() };
    assert_eq!(both.check(&tasks), Err(ConversationError::TwoSystemPrompts { id: "1".into() }));
}
