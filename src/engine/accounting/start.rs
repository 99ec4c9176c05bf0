//! Where a reply starts.

use crate::generation::Prompt;
use crate::task::opens_thinking;

/// Whether a reply starts inside the reasoning, because the prompt opened it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum Start {
    /// The prompt opened it.
    Inside,
    /// It did not.
    Outside,
    /// The server rendered the prompt, and nobody has seen it.
    Unseen,
}

impl Start {
    /// As the prompt says.
    pub(in crate::engine) fn of(prompt: &Prompt) -> Self {
        match &prompt.chat {
            Some(_) => Self::Unseen,
            None if opens_thinking(&prompt.text) => Self::Inside,
            None => Self::Outside,
        }
    }
}
