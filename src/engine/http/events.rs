//! Server-sent events: what stands between two blank lines.
//!
//! Format: <https://html.spec.whatwg.org/multipage/server-sent-events.html>, section 9.2.6. Lines end with LF or CR LF; a
//! lone CR, which the standard also allows, no inference server sends.

use super::client::message;
use super::error::HttpError;
use super::lines::Lines;
use serde_json::Value;

/// What ends the stream of a server with the interface of OpenAI.
const DONE: &str = "[DONE]";
/// Characters of an event that an error shows.
const SHOWN: usize = 200;

/// An event that carries JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Seconds since the request was sent, when its last line of data was complete.
    pub at: f64,
    /// Its data.
    pub data: Value,
}

/// The events of a stream. Comments and empty events are passed over.
#[derive(Debug)]
pub struct Events {
    lines: Lines,
    done: bool,
}

impl Events {
    /// The events of an answer.
    ///
    /// # Errors
    /// When the answer is of another media type: a server that does not stream, or something that is no inference server.
    pub fn of(mut lines: Lines) -> Result<Self, HttpError> {
        if lines.kind() == "text/event-stream" {
            return Ok(Self { lines, done: false });
        }
        let first = lines.next_line()?.map(|line| line.text).unwrap_or_default();
        let problem = format!(
            "a stream of events was asked for, and the answer is `{}`: {}",
            lines.kind(),
            lines.hidden(&first).chars().take(SHOWN).collect::<String>()
        );
        Err(lines.wrong(problem))
    }

    /// The next event; `None` at the end of the answer, or after `[DONE]`.
    ///
    /// # Errors
    /// When the connection fails, an event is no JSON, or the server reports an error.
    pub fn next_event(&mut self) -> Result<Option<Event>, HttpError> {
        let mut data: Option<(f64, String)> = None;
        while !self.done {
            let Some(line) = self.lines.next_line()? else {
                self.done = true;
                break;
            };
            if line.text.is_empty() {
                if data.is_some() {
                    break;
                }
                continue;
            }
            let Some(value) = line.text.strip_prefix("data:") else { continue };
            let value = value.strip_prefix(' ').unwrap_or(value);
            data = Some(match data {
                None => (line.at, value.to_owned()),
                Some((_, earlier)) => (line.at, format!("{earlier}\n{value}")),
            });
        }
        match data {
            None => Ok(None),
            Some((_, text)) if text.trim() == DONE => {
                self.done = true;
                Ok(None)
            }
            Some((at, text)) => self.parsed(at, &text).map(Some),
        }
    }

    /// The lines under the events, for errors.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    fn parsed(&self, at: f64, text: &str) -> Result<Event, HttpError> {
        let data: Value = serde_json::from_str(text).map_err(|error| {
            let shown: String = self.lines.hidden(text).chars().take(SHOWN).collect();
            self.lines.wrong(format!("an event of the stream is no JSON ({error}): {shown}"))
        })?;
        match data.get("error") {
            Some(error) if !error.is_null() => {
                let words = message(&data).map_or_else(|| error.to_string(), str::to_owned);
                Err(self
                    .lines
                    .wrong(format!("the server reports an error in the middle of its answer: {words}")))
            }
            _ => Ok(Event { at, data }),
        }
    }
}
