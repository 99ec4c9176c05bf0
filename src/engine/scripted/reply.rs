//! The stand-in's prompts, replies and tokens.

use super::script::{Script, bits, uniform};
use crate::generation::{Message, Role, TokenLikelihood};

/// What the template puts after the prompt when thinking is off.
const EMPTY_THOUGHT: &str = "<think>\n\n</think>\n\n";
/// Words a thinking reply is made of.
const FILLER: [&str; 8] = ["so", "the", "next", "step", "follows", "from", "this", "one"];
/// Token id of the end of a turn; words have higher ones.
pub(super) const END: u32 = 0;

/// The rendered prompt, in `ChatML`.
pub(super) fn render(messages: &[Message], thinking: Option<bool>) -> String {
    let mut text = String::new();
    for message in messages {
        let role = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        };
        for part in ["<|im_start|>", role, "\n", &message.content, "<|im_end|>\n"] {
            text.push_str(part);
        }
    }
    text.push_str("<|im_start|>assistant\n");
    if thinking == Some(false) {
        text.push_str(EMPTY_THOUGHT);
    }
    text
}

/// Made-up likelihoods of a continuation: a token costs up to 4 nats, by a hash of all before it and of itself, and is
/// greedy where it costs less than half a nat.
pub(super) fn likelihood(context: &str, continuation: &str) -> Vec<TokenLikelihood> {
    let mut before = context.to_owned();
    let token = |piece: &str| {
        let log_probability = -4.0 * uniform(&["likelihood", &before, piece]) - 1e-3;
        before.push_str(piece);
        TokenLikelihood { id: id(piece), log_probability, greedy: log_probability > -0.5 }
    };
    pieces(continuation).into_iter().map(token).collect()
}

/// The whole reply to a prompt, before any limit. `loss` is the share of answers that the settings spoil.
pub(super) fn reply(script: &Script, prompt: &str, loss: f64) -> String {
    if script.mute {
        return String::new();
    }
    let mut text = String::new();
    if thinks(script, prompt) {
        text.push_str("<think>\n");
        let words = 20 + bits(&["length", prompt]) % 40;
        for at in 0..words {
            text.push_str(FILLER[(bits(&["word", prompt, &at.to_string()]) % 8) as usize]);
            text.push(' ');
        }
        text.push_str("\n</think>\n\n");
    }
    if uniform(&["error", prompt]) < (script.errors + loss).min(1.0) {
        text.push_str("nothing");
    } else {
        text.push_str(last_word(prompt));
    }
    text
}

/// Off means off unless the script, or a soft switch in the conversation, says otherwise; unset thinks.
fn thinks(script: &Script, prompt: &str) -> bool {
    script.thinks || !prompt.ends_with(EMPTY_THOUGHT) || prompt.replace("</think>", "").contains("/think")
}

fn last_word(prompt: &str) -> &str {
    let turn = prompt.rsplit("<|im_start|>user\n").next().unwrap_or_default();
    let content = turn.split("<|im_end|>").next().unwrap_or_default();
    let trimmed = |word: &'_ str| !word.trim_matches(['.', '?', '!', ':']).is_empty();
    let word = content.split_whitespace().rfind(|word| trimmed(word)).unwrap_or("ok");
    word.trim_matches(['.', '?', '!', ':'])
}

/// Cuts a text into tokens: a word with the white space after it.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let tail = rest[word..].find(|c: char| !c.is_whitespace()).unwrap_or(rest.len() - word);
        let (piece, left) = rest.split_at(word + tail);
        pieces.push(piece);
        rest = left;
    }
    pieces
}

/// The id of a piece.
pub(super) fn id(piece: &str) -> u32 {
    1 + (bits(&["id", piece]) % 50_000) as u32
}
