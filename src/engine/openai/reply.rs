//! From a stream to a generation.

use super::chunk::{Chunk, Timings, Usage};
use crate::engine::EngineError;
use crate::engine::accounting::{Start, Tally, Totals};
use crate::engine::http::{Events, HttpError};
use crate::generation::{Generation, StopReason};

/// Reads a stream to its end. `most` tokens were asked for; `start` says where the reply began.
///
/// # Errors
/// When the stream breaks off, is none, or ends without saying why: a reply that was cut is no short answer.
pub(super) fn read(mut events: Events, most: u32, start: Start) -> Result<Generation, EngineError> {
    let mut heard = Heard::default();
    loop {
        match events.next_event() {
            Ok(Some(event)) => heard.take(Chunk::of(&event)),
            Ok(None) => break,
            // The reply is whole; some servers hang up on the reader after it.
            Err(HttpError::Cut { .. }) if heard.finish.is_some() => break,
            Err(error) => return Err(error.into()),
        }
        if let Some(problem) = heard.tally.endless(most) {
            return Err(events.lines().wrong(problem).into());
        }
    }
    let Some((reason, ended_at)) = heard.finish else {
        return Err(events.lines().cut("it never said why the reply ended").into());
    };
    let stop = stop(&reason, heard.usage.tokens, most).map_err(|problem| events.lines().wrong(problem))?;
    let totals = Totals {
        stop,
        ended_at,
        tokens: heard.usage.tokens,
        prompt_tokens: heard.usage.prompt_tokens,
        cached_tokens: heard.usage.cached_tokens.or(heard.timings.cached_tokens),
        prefill: heard.timings.prefill,
        compute: heard.timings.compute,
        speculation: heard.timings.speculation,
    };
    let generation = heard.tally.generation(start, totals);
    generation.map_err(|problem| events.lines().wrong(problem).into())
}

#[derive(Debug, Default)]
struct Heard {
    tally: Tally,
    finish: Option<(String, f64)>,
    usage: Usage,
    timings: Timings,
}

impl Heard {
    /// Usage and times are running counts on some servers: the last one holds.
    fn take(&mut self, chunk: Chunk) {
        if let Some(reason) = chunk.finish {
            self.finish = Some((reason, chunk.piece.at));
        }
        self.usage = chunk.usage.unwrap_or(self.usage);
        self.timings = chunk.timings.unwrap_or(self.timings);
        self.tally.take(chunk.piece);
    }
}

/// A reply that was cut off before the limit that it was given ran into the end of the context.
fn stop(reason: &str, tokens: Option<u32>, most: u32) -> Result<StopReason, String> {
    match reason {
        "stop" | "eos" | "eos_token" | "stop_sequence" | "tool_calls" | "function_call" => {
            Ok(StopReason::Eos)
        }
        "length" if tokens.is_some_and(|tokens| tokens < most) => Ok(StopReason::Context),
        "length" => Ok(StopReason::Length),
        "content_filter" => Err("the server's filter ended the reply (`content_filter`)".to_owned()),
        other => Err(format!("the server ended the reply with `{other}`, which is no end of a reply")),
    }
}
