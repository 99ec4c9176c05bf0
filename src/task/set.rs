//! A task set: tasks in order, and the fingerprint of their content.

use super::Task;
use super::diff::TaskKey;
use super::read::{self, TaskSetError};
use crate::fingerprint;
use serde_json::Value;
use std::path::Path;

/// Tasks in the order in which they are asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskSet {
    /// The tasks; ids are unique.
    pub tasks: Vec<Task>,
}

impl TaskSet {
    /// Reads a task file: UTF-8, one JSON object a line with the keys `id`, `prompt` or `messages`, `expected`, `choices`
    /// and `group`. A byte-order mark, CRLF and blank lines are harmless; all else is refused with its line and a remedy.
    pub fn read(path: &Path) -> Result<Self, TaskSetError> {
        read::read(path).map(|tasks| Self { tasks })
    }

    /// The same from text; `name` stands for the file in errors.
    pub fn parse(name: &Path, bytes: &[u8]) -> Result<Self, TaskSetError> {
        read::parse(name, bytes).map(|tasks| Self { tasks })
    }

    /// SHA-256 over, for each task in order, its prompt and its expected answer (or nothing), each ended by NUL; then, where
    /// any task has further fields that can change a prompt or a score (`messages`, several accepted answers, `choices`,
    /// `group`), over one more part: the JSON list of these fields, `null` for a task without. Order counts; ids do not.
    pub fn fingerprint(&self) -> String {
        let plain = self.tasks.iter().flat_map(|task| [task.plain_prompt(), task.plain_expected()]);
        let further: Vec<Value> = self.tasks.iter().map(Task::further).collect();
        let rest = further.iter().any(|fields| !fields.is_null()).then(|| Value::Array(further).to_string());
        fingerprint::of_parts(plain.chain(rest.as_deref()))
    }

    /// Identity and content of each task, as [`super::diff`] takes them.
    pub fn keys(&self) -> Vec<TaskKey> {
        self.tasks.iter().map(|task| TaskKey { id: task.id.clone(), content: task.content() }).collect()
    }

    /// How many tasks.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// True for a set without tasks; [`TaskSet::read`] never returns one.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }
}
