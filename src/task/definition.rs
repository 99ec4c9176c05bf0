//! One task: a question and what counts as its right answer.

use crate::fingerprint;
use crate::generation::{Message, Role};
use serde_json::{Value, json};

/// A question with its accepted answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Unique within its set: as written, else the number of its line.
    pub id: String,
    /// What is asked.
    pub question: Question,
    /// Accepted answers; empty for a task that is not scored.
    pub expected: Vec<String>,
    /// Options of a multiple-choice question, lettered from A; empty for an open one.
    pub choices: Vec<String>,
    /// Cluster of related tasks, where it has one.
    pub group: Option<String>,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// One prompt: becomes one user turn.
    Prompt(String),
    /// A conversation whose last turn waits for a reply.
    Messages(Vec<Message>),
}

impl Task {
    /// The text of the question: the prompt, or the last user turn.
    pub fn prompt(&self) -> &str {
        match &self.question {
            Question::Prompt(text) => text,
            Question::Messages(turns) => {
                turns.iter().rev().find(|turn| turn.role == Role::User).map_or("", |turn| &turn.content)
            }
        }
    }

    /// SHA-256 over all of the task that can change a prompt or a score; the id does not count.
    pub fn content(&self) -> String {
        let further = self.further().to_string();
        fingerprint::of_parts([self.plain_prompt(), self.plain_expected(), &further])
    }

    /// The prompt, where it is a plain one.
    pub(super) fn plain_prompt(&self) -> &str {
        match &self.question {
            Question::Prompt(text) => text,
            Question::Messages(_) => "",
        }
    }

    /// The expected answer, where there is exactly one.
    pub(super) fn plain_expected(&self) -> &str {
        if let [only] = &self.expected[..] { only } else { "" }
    }

    /// Every field beside a plain prompt and one expected answer; `null` where there is none. Keys are sorted.
    pub(super) fn further(&self) -> Value {
        let mut fields = serde_json::Map::new();
        if self.expected.len() > 1 {
            fields.insert("accepted".into(), json!(self.expected));
        }
        if !self.choices.is_empty() {
            fields.insert("choices".into(), json!(self.choices));
        }
        if let Some(group) = &self.group {
            fields.insert("group".into(), json!(group));
        }
        if let Question::Messages(turns) = &self.question {
            fields.insert("messages".into(), json!(turns));
        }
        if fields.is_empty() { Value::Null } else { Value::Object(fields) }
    }
}
