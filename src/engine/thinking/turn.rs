//! What a template is handed for one turn.

use crate::generation::Message;
use serde::Serialize;
use serde_json::{Map, Value};

/// A conversation that the model is to go on with, and the template's further arguments.
#[derive(Debug, Clone, Serialize)]
pub(in crate::engine) struct Turn {
    messages: Vec<Message>,
    add_generation_prompt: bool,
    #[serde(flatten)]
    arguments: Map<String, Value>,
}

impl Turn {
    pub(in crate::engine) fn new(messages: Vec<Message>) -> Self {
        Self { messages, add_generation_prompt: true, arguments: Map::new() }
    }

    /// The same turn with one more argument.
    pub(in crate::engine) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }
}
