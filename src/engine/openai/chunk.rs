//! One message of a stream, read leniently: servers add fields, leave them out, and send `null`.
//!
//! <https://platform.openai.com/docs/api-reference/chat-streaming>; llama-server's `timings`:
//! <https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md>.

use crate::engine::accounting::Piece;
use crate::engine::http::Event;
use crate::generation::{Compute, SpeculationCounts};
use serde_json::Value;

/// A message of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chunk {
    pub(super) piece: Piece,
    /// Why the reply ended, in the server's word; only the last message of a reply has it.
    pub(super) finish: Option<String>,
    pub(super) usage: Option<Usage>,
    pub(super) timings: Option<Timings>,
}

/// How many tokens the server counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Usage {
    pub(super) tokens: Option<u32>,
    pub(super) prompt_tokens: Option<u32>,
    pub(super) cached_tokens: Option<u32>,
}

/// llama-server's own times.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in crate::engine) struct Timings {
    /// Seconds for reading the prompt.
    pub(in crate::engine) prefill: Option<f64>,
    /// Forward passes after that.
    pub(in crate::engine) compute: Option<Compute>,
    /// Prompt tokens from a cache.
    pub(in crate::engine) cached_tokens: Option<u32>,
    /// Absent where nothing was drafted.
    pub(in crate::engine) speculation: Option<SpeculationCounts>,
}

impl Chunk {
    pub(super) fn of(event: &Event) -> Self {
        let choice = &event.data["choices"][0];
        Self {
            piece: piece(event.at, choice),
            finish: choice["finish_reason"].as_str().map(str::to_owned),
            usage: event.data["usage"].as_object().map(|_| usage(&event.data["usage"])),
            timings: event.data["timings"].as_object().map(|_| timings(&event.data["timings"])),
        }
    }
}

fn piece(at: f64, choice: &Value) -> Piece {
    let delta = &choice["delta"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    // A server that sends both names sends the same twice.
    let reasoning = ["reasoning", "reasoning_content"].iter().map(|name| text(&delta[*name]));
    let ids = choice["token_ids"].as_array().into_iter().flatten();
    Piece {
        at,
        content: text(if choice["text"].is_string() { &choice["text"] } else { &delta["content"] }),
        reasoning: reasoning.into_iter().find(|said| !said.is_empty()).unwrap_or_default(),
        tool: tool(delta),
        ids: ids.filter_map(|id| id.as_u64().and_then(|id| u32::try_from(id).ok())).collect(),
    }
}

/// Names and arguments of the calls.
fn tool(delta: &Value) -> String {
    let calls = delta["tool_calls"].as_array().into_iter().flatten().map(|call| &call["function"]);
    let parts = calls.chain([&delta["function_call"]]).flat_map(|call| [&call["name"], &call["arguments"]]);
    parts.filter_map(Value::as_str).collect()
}

fn usage(usage: &Value) -> Usage {
    Usage {
        tokens: count(&usage["completion_tokens"]),
        prompt_tokens: count(&usage["prompt_tokens"]),
        cached_tokens: count(&usage["prompt_tokens_details"]["cached_tokens"]),
    }
}

/// Reads `timings`. `predicted_ms` runs from the choice of the first token to that of the last: the first one comes from the
/// prompt's own last pass, so n tokens are n - 1 passes, choosing and sending between them included
/// (`tools/server/server-context.cpp`, `server_slot_stats::n_gen_steps`). Where tokens are drafted, a pass gives several, and
/// their number is not told.
pub(in crate::engine) fn timings(timings: &Value) -> Timings {
    let seconds = |name: &str| timings[name].as_f64().map(|milliseconds| milliseconds / 1e3);
    let drafted = timings["draft_n"].as_u64().filter(|drafted| *drafted > 0);
    let steps = count(&timings["predicted_n"]).and_then(|tokens| tokens.checked_sub(1));
    let steps = steps.filter(|steps| *steps > 0 && drafted.is_none());
    let compute = steps.zip(seconds("predicted_ms")).map(|(steps, seconds)| Compute { steps, seconds });
    let accepted = timings["draft_n_accepted"].as_u64();
    Timings {
        prefill: seconds("prompt_ms").filter(|seconds| *seconds > 0.0),
        compute,
        cached_tokens: count(&timings["cache_n"]),
        speculation: drafted.zip(accepted).map(|(drafted, accepted)| SpeculationCounts { drafted, accepted }),
    }
}

fn count(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|count| u32::try_from(count).ok())
}
