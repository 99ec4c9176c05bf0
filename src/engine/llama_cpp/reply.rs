//! The events of a streamed completion, put together.
//!
//! An event carries the id of one token and the text that it completed. While the text ends inside a character the server
//! sends nothing, and of the ids of such a character only the last arrives: `tokens_predicted`, which counts all of them, says
//! how many are missing (`tools/server/server-context.cpp`, `process_token` and `send_partial_response`).

use crate::engine::http::{Event, Events, HttpError};
use crate::generation::{Compute, Delivery, Generation, SpeculationCounts, StopReason, TokenTimes};
use serde_json::Value;

/// What has arrived so far.
#[derive(Debug, Default)]
struct Arrived {
    ids: Vec<u32>,
    text: String,
    deliveries: Vec<Delivery>,
    /// Tokens that the server counts.
    predicted: u32,
}

/// Hears a reply to its end.
pub(super) fn hear(events: &mut Events) -> Result<Generation, HttpError> {
    let mut arrived = Arrived::default();
    while let Some(event) = events.next_event()? {
        arrived.take(&event).ok_or_else(|| not_understood(events, &event))?;
        if event.data.get("stop") == Some(&Value::Bool(true)) {
            return arrived.finish(&event.data).ok_or_else(|| not_understood(events, &event));
        }
    }
    Err(events.lines().cut("it ended without a last event"))
}

fn not_understood(events: &Events, event: &Event) -> HttpError {
    let shown: String = event.data.to_string().chars().take(300).collect();
    events.lines().wrong(format!("an event that llama-server does not send: {shown}"))
}

impl Arrived {
    fn take(&mut self, event: &Event) -> Option<()> {
        self.text.push_str(event.data.get("content")?.as_str()?);
        for id in event.data.get("tokens")?.as_array()? {
            self.ids.push(u32::try_from(id.as_u64()?).ok()?);
        }
        let predicted = count(&event.data, "tokens_predicted")?;
        let fresh = predicted.checked_sub(self.predicted)?;
        self.predicted = predicted;
        self.deliver(event.at, fresh);
        Some(())
    }

    /// What came with one read reached the reader together.
    fn deliver(&mut self, at: f64, tokens: u32) {
        match self.deliveries.last_mut() {
            _ if tokens == 0 => {}
            Some(Delivery { at: earlier, tokens: Some(held) }) if *earlier >= at => *held += tokens,
            _ => self.deliveries.push(Delivery { at, tokens: Some(tokens) }),
        }
    }

    /// The last event tells how it ended and what it cost.
    fn finish(self, last: &Value) -> Option<Generation> {
        let timings = last.get("timings")?;
        let cut_off = last.get("truncated") == Some(&Value::Bool(true));
        let stop = match last.get("stop_type")?.as_str()? {
            "eos" => StopReason::Eos,
            "limit" if cut_off => StopReason::Context,
            "limit" => StopReason::Length,
            _ => return None,
        };
        let whole = self.ids.len() as u32 == self.predicted;
        let speculation = speculation(timings);
        Some(Generation {
            text: self.text,
            ids: whole.then_some(self.ids),
            tokens: Some(self.predicted),
            prompt_tokens: count(last, "tokens_evaluated"),
            cached_tokens: count(timings, "cache_n"),
            stop,
            times: TokenTimes {
                deliveries: self.deliveries,
                first_answer: None,
                prefill: seconds(timings, "prompt_ms"),
                compute: compute(timings, speculation.is_some()),
            },
            speculation,
        })
    }
}

/// `predicted_ms` runs from the choice of the first token to that of the last: the first one comes from the prompt's own last
/// pass, so n tokens are n - 1 passes, choosing and sending between them included (`server_slot_stats::n_gen_steps`). With
/// speculation a pass gives several tokens, and the server does not tell how many passes there were.
fn compute(timings: &Value, speculates: bool) -> Option<Compute> {
    let steps = count(timings, "predicted_n")?.checked_sub(1)?;
    let seconds = seconds(timings, "predicted_ms")?;
    (!speculates && steps > 0).then_some(Compute { steps, seconds })
}

/// Absent where nothing was drafted.
fn speculation(timings: &Value) -> Option<SpeculationCounts> {
    let drafted = timings.get("draft_n")?.as_u64()?;
    Some(SpeculationCounts { drafted, accepted: timings.get("draft_n_accepted")?.as_u64()? })
}

fn count(value: &Value, key: &str) -> Option<u32> {
    u32::try_from(value.get(key)?.as_u64()?).ok()
}

fn seconds(timings: &Value, key: &str) -> Option<f64> {
    timings.get(key)?.as_f64().map(|milliseconds| milliseconds / 1e3)
}
