//! From Ollama's lines to a generation: each is a JSON object; the last one has `done` and the counts. Durations are
//! nanoseconds.

use crate::engine::EngineError;
use crate::engine::accounting::{Piece, Start, Tally, Totals};
use crate::engine::http::Lines;
use crate::generation::{Generation, StopReason};
use serde_json::Value;

/// What the stream is called.
const KINDS: &[&str] = &["application/x-ndjson", "application/json"];
/// Characters of a line that an error shows.
const SHOWN: usize = 200;

/// Reads an answer to its end. `most` tokens were asked for; `start` says where the reply began.
///
/// # Errors
/// When the stream breaks off, is none, reports an error, or ends without saying that the reply is done.
pub(super) fn read(mut lines: Lines, most: u32, start: Start) -> Result<Generation, EngineError> {
    let mut tally = Tally::default();
    while let Some(line) = lines.next_line()? {
        if line.text.trim().is_empty() {
            continue;
        }
        let said = parsed(&lines, &line.text)?;
        tally.take(piece(line.at, &said));
        if let Some(problem) = tally.endless(most) {
            return Err(lines.wrong(problem).into());
        }
        if said["done"] == true {
            let totals = totals(line.at, &said, most).map_err(|problem| lines.wrong(problem))?;
            let generation = tally.generation(start, totals);
            return generation.map_err(|problem| lines.wrong(problem).into());
        }
    }
    Err(lines.cut("no line said that the reply is done").into())
}

fn parsed(lines: &Lines, text: &str) -> Result<Value, EngineError> {
    let shown = || lines.hidden(text).chars().take(SHOWN).collect::<String>();
    if !KINDS.contains(&lines.kind()) {
        let problem =
            format!("lines of JSON were asked for, and the answer is `{}`: {}", lines.kind(), shown());
        return Err(lines.wrong(problem).into());
    }
    let said: Value = serde_json::from_str(text)
        .map_err(|error| lines.wrong(format!("a line of the answer is no JSON ({error}): {}", shown())))?;
    match said["error"].as_str() {
        Some(words) => {
            let problem = format!("the server reports an error in the middle of its answer: {words}");
            Err(lines.wrong(problem).into())
        }
        None => Ok(said),
    }
}

/// `/api/generate` says it in `response` and `thinking`, `/api/chat` in a `message`.
fn piece(at: f64, said: &Value) -> Piece {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let message = &said["message"];
    let either = |one: &Value, other: &Value| text(if one.is_string() { one } else { other });
    let calls = message["tool_calls"].as_array().into_iter().flatten().map(|call| &call["function"]);
    let call = |call: &Value| format!("{}{}", text(&call["name"]), call["arguments"]);
    Piece {
        at,
        content: either(&said["response"], &message["content"]),
        reasoning: either(&said["thinking"], &message["thinking"]),
        tool: calls.map(call).collect(),
        ids: Vec::new(),
    }
}

/// Whether the count of prompt tokens includes cached ones is not said, and it is missing where all of them were: how many
/// came from the cache stays unknown. So does what its time for generating covers, which has changed from version to version.
fn totals(at: f64, said: &Value, most: u32) -> Result<Totals, String> {
    let count = |name: &str| said[name].as_u64().and_then(|count| u32::try_from(count).ok());
    let (tokens, prompt_tokens) = (count("eval_count"), count("prompt_eval_count"));
    let prefill = said["prompt_eval_duration"].as_u64().filter(|nanoseconds| *nanoseconds > 0);
    Ok(Totals {
        stop: stop(said["done_reason"].as_str(), tokens, most)?,
        ended_at: at,
        tokens,
        prompt_tokens,
        cached_tokens: None,
        prefill: prefill.filter(|_| prompt_tokens.is_some()).map(|nanoseconds| nanoseconds as f64 * 1e-9),
        compute: None,
        speculation: None,
    })
}

/// Old versions give no reason; there a reply as long as its limit was cut by it.
fn stop(reason: Option<&str>, tokens: Option<u32>, most: u32) -> Result<StopReason, String> {
    let short = tokens.is_some_and(|tokens| tokens < most);
    match reason {
        Some("stop") => Ok(StopReason::Eos),
        None if short => Ok(StopReason::Eos),
        Some("length") if short => Ok(StopReason::Context),
        Some("length") | None => Ok(StopReason::Length),
        Some("load") => {
            Err("the server loaded the model and answered nothing: the prompt was empty".to_owned())
        }
        Some(other) => Err(format!("the server ended the reply with `{other}`, which is no end of a reply")),
    }
}
