//! What a prompt says about thinking: by marks that the template left in the rendered text, or by flags in the messages.

use super::switch::SENTENCES;
use crate::generation::{Message, Role};
use regex::Regex;
use std::sync::OnceLock;

/// A word in a message that switches reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag {
    /// What it asks for.
    pub thinking: bool,
    /// The word.
    pub word: &'static str,
    /// Whose message it stands in.
    pub role: Role,
}

/// What the rendered prompt itself says: `None` if it says nothing.
///
/// Its end counts first: an open reasoning block says yes, one that is closed already says no. Then `SmolLM3`'s
/// `Reasoning Mode:` and Nemotron's `detailed thinking on` and `off`, of which the last counts.
pub fn said_by(prompt: &str) -> Option<bool> {
    said_by_end(prompt).or_else(|| said_by_sentence(prompt))
}

/// `<think>`, `</think>`, `[THINK]`, `<seed:think>`, `<|START_THINKING|>`, `<|END_THINKING|>`, ... at the very end.
fn said_by_end(prompt: &str) -> Option<bool> {
    static MARK: OnceLock<Option<Regex>> = OnceLock::new();
    let pattern = r"(?i)[<\[]\|?(/|end_)?[^<>\[\]\s]*think[^<>\[\]\s]*[>\]]$";
    let mark = MARK.get_or_init(|| Regex::new(pattern).ok()).as_ref()?;
    let found = mark.captures(prompt.trim_end())?;
    Some(found.get(1).is_none())
}

fn said_by_sentence(prompt: &str) -> Option<bool> {
    let on = ["Reasoning Mode: /think", SENTENCES[0]];
    let off = ["Reasoning Mode: /no_think", SENTENCES[1]];
    let last = |sentences: [&str; 2]| sentences.iter().filter_map(|sentence| prompt.rfind(sentence)).max();
    match (last(on), last(off)) {
        (None, None) => None,
        (on, off) => Some(on > off),
    }
}

/// The flag that counts: the last free-standing `/think`, `/no_think` or `/nothink` of the system prompt or, later, of the
/// last question.
pub fn flag_in(messages: &[Message]) -> Option<Flag> {
    let last_question = messages.iter().rposition(|message| message.role == Role::User);
    let counts =
        |(at, message): &(usize, &Message)| message.role == Role::System || Some(*at) == last_question;
    messages.iter().enumerate().filter(counts).filter_map(|(_, message)| last_flag(message)).next_back()
}

fn last_flag(message: &Message) -> Option<Flag> {
    message.content.split_whitespace().rev().find_map(|word| {
        let (thinking, word) = match word {
            "/think" => (true, "/think"),
            "/no_think" => (false, "/no_think"),
            "/nothink" => (false, "/nothink"),
            _ => return None,
        };
        Some(Flag { thinking, word, role: message.role })
    })
}
