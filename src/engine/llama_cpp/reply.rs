//! The events of a streamed completion, put together.
//!
//! An event carries the id of one token and the text that it completed. While the text ends inside a character the server
//! sends nothing, and of the ids of such a character only the last arrives: `tokens_predicted`, which counts all of them, says
//! how many are missing (`tools/server/server-context.cpp`, `process_token` and `send_partial_response`).

use crate::engine::accounting::{Piece, Start, answer_start, too_many};
use crate::engine::http::{Event, Events, HttpError};
use crate::engine::openai::{Timings, timings};
use crate::generation::{Delivery, Generation, StopReason, TokenTimes};
use serde_json::Value;

/// What has arrived so far.
#[derive(Debug, Default)]
struct Arrived {
    ids: Vec<u32>,
    /// What each event carried, and the delivery that it belongs to.
    pieces: Vec<Piece>,
    places: Vec<usize>,
    deliveries: Vec<Delivery>,
    /// Tokens that the server counts.
    predicted: u32,
}

/// Hears a reply to its end. `most` tokens were asked for; `start` says where the reply began.
pub(super) fn hear(events: &mut Events, most: u32, start: Start) -> Result<Generation, HttpError> {
    let mut arrived = Arrived::default();
    while let Some(event) = events.next_event()? {
        arrived.take(&event).ok_or_else(|| not_understood(events, &event))?;
        if event.data.get("stop") == Some(&Value::Bool(true)) {
            return arrived.finish(&event.data, start).ok_or_else(|| not_understood(events, &event));
        }
        if let Some(problem) = too_many(arrived.pieces.len(), most) {
            return Err(events.lines().wrong(problem));
        }
    }
    Err(events.lines().cut("it ended without a last event"))
}

fn not_understood(events: &Events, event: &Event) -> HttpError {
    let shown: String = events.lines().hidden(&event.data.to_string()).chars().take(300).collect();
    events.lines().wrong(format!("an event that llama-server does not send: {shown}"))
}

impl Arrived {
    fn take(&mut self, event: &Event) -> Option<()> {
        let content = event.data.get("content")?.as_str()?.to_owned();
        for id in event.data.get("tokens")?.as_array()? {
            self.ids.push(u32::try_from(id.as_u64()?).ok()?);
        }
        let predicted = count(&event.data, "tokens_predicted")?;
        let fresh = predicted.checked_sub(self.predicted)?;
        self.predicted = predicted;
        self.deliver(event.at, fresh);
        if let Some(place) = self.deliveries.len().checked_sub(1) {
            self.pieces.push(Piece { at: event.at, content, ..Piece::default() });
            self.places.push(place);
        }
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
    fn finish(self, last: &Value, start: Start) -> Option<Generation> {
        let Timings { prefill, compute, cached_tokens, speculation } = timings(last.get("timings")?);
        let cut_off = last.get("truncated") == Some(&Value::Bool(true));
        let stop = match last.get("stop_type")?.as_str()? {
            "eos" => StopReason::Eos,
            "limit" if cut_off => StopReason::Context,
            "limit" => StopReason::Length,
            _ => return None,
        };
        let whole = self.ids.len() as u32 == self.predicted;
        // Where the ids are whole, they say it better: marks may be left out of the text.
        let first = answer_start(&self.pieces, start).filter(|_| !whole);
        Some(Generation {
            text: self.pieces.into_iter().map(|piece| piece.content).collect(),
            ids: whole.then_some(self.ids),
            tokens: Some(self.predicted),
            prompt_tokens: count(last, "tokens_evaluated"),
            cached_tokens,
            stop,
            times: TokenTimes {
                deliveries: self.deliveries,
                first_answer: first.map(|piece| self.places[piece]),
                prefill,
                compute,
            },
            speculation,
        })
    }
}

fn count(value: &Value, key: &str) -> Option<u32> {
    u32::try_from(value.get(key)?.as_u64()?).ok()
}
