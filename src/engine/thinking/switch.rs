//! The kinds of switch, and how each is set.

use super::turn::Turn;
use crate::generation::{Message, Role};

/// Words that switch reasoning on and off inside a message.
pub(super) const FLAGS: [&str; 2] = ["/think", "/no_think"];
/// Sentences of a system prompt that switch reasoning on and off.
pub(super) const SENTENCES: [&str; 2] = ["detailed thinking on", "detailed thinking off"];

/// How a model's template lets a plan switch reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThinkingSwitch {
    /// An argument of the template: `enable_thinking` (Qwen3), `thinking` (Granite, `DeepSeek` V3.1).
    Argument(&'static str),
    /// An argument, and flags in the system prompt that override it (`SmolLM3`).
    ArgumentUnderFlags(&'static str),
    /// Flags in the messages alone (Nemotron Nano v2).
    Flags,
    /// A sentence in the system prompt (Llama Nemotron).
    Sentence,
    /// Grades of effort, and no way to switch reasoning off (gpt-oss).
    Effort,
    /// None that is known.
    None,
}

impl ThinkingSwitch {
    /// True if reasoning can be switched on and off.
    pub fn has_two_positions(self) -> bool {
        !matches!(self, Self::Effort | Self::None)
    }

    /// True if the template itself looks for `/think` and `/no_think`.
    pub fn obeys_flags(self) -> bool {
        matches!(self, Self::ArgumentUnderFlags(_) | Self::Flags)
    }

    /// The conversation with the switch set. Unset leaves everything to the template: a third value.
    pub(in crate::engine) fn turn(self, messages: &[Message], thinking: Option<bool>) -> Turn {
        let plain = Turn::new(messages.to_vec());
        let Some(thinking) = thinking else { return plain };
        let choose = |[on, off]: [&'static str; 2]| if thinking { on } else { off };
        match self {
            Self::Argument(name) | Self::ArgumentUnderFlags(name) => plain.with(name, thinking),
            Self::Flags => Turn::new(with_system(messages, |text| joined(text, " ", choose(FLAGS)))),
            Self::Sentence => {
                Turn::new(with_system(messages, |text| joined(choose(SENTENCES), "\n\n", text)))
            }
            Self::Effort | Self::None => plain,
        }
    }
}

fn joined(first: &str, between: &str, second: &str) -> String {
    let between = if first.is_empty() || second.is_empty() { "" } else { between };
    [first, between, second].concat()
}

/// The messages with another system prompt; where there is none, one is put first.
fn with_system(messages: &[Message], write: impl Fn(&str) -> String) -> Vec<Message> {
    let mut messages = messages.to_vec();
    match messages.first_mut().filter(|first| first.role == Role::System) {
        Some(system) => system.content = write(&system.content),
        None => messages.insert(0, Message { role: Role::System, content: write("") }),
    }
    messages
}
