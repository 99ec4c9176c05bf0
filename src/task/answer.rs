//! The final answer of a reply: what stands after the reasoning.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The final answer, trimmed: the text after the last `</think>`, or the whole reply when there was no reasoning.
///
/// `opened` says that the rendered prompt already opened the reasoning block (see [`opens_thinking`]). Reasoning that was
/// never closed, and an empty rest, are no answer.
pub fn final_answer(reply: &str, opened: bool) -> Option<&str> {
    let rest = match reply.rsplit_once(CLOSE) {
        Some((_, rest)) => rest,
        None if opened => return None,
        None => reply,
    };
    let answer = rest.trim();
    (!answer.is_empty() && !answer.contains(OPEN)).then_some(answer)
}

/// True if a rendered prompt ends inside a reasoning block, so that the model starts by reasoning.
pub fn opens_thinking(prompt: &str) -> bool {
    prompt.trim_end().ends_with(OPEN)
}

/// True if the model itself reasoned: it opened a block, or went on in the one that the prompt opened.
pub fn wrote_thinking(reply: &str, opened: bool) -> bool {
    let inside = reply.split(CLOSE).next().unwrap_or_default();
    reply.contains(OPEN) || (opened && !inside.trim().is_empty())
}
