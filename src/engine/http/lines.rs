//! The lines of an answer, each with the time at which it was complete.

use super::error::HttpError;
use super::secret::Secret;
use super::under_way::UnderWay;
use crate::generation::Stopwatch;
use std::fmt;
use std::io::{ErrorKind, Read};

/// Most bytes of one line: a token with its log-probabilities takes a few thousand.
pub const MOST_LINE: usize = 16 << 20;

/// Bytes asked for in one read.
const PIECE: usize = 64 << 10;

/// A line of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Seconds since the request was sent, when the read that completed the line returned.
    pub at: f64,
    /// Its text, without the line end.
    pub text: String,
}

/// The lines of an answer as they arrive. A character that arrives in two pieces is whole in its line; a last line needs
/// no line end.
pub struct Lines {
    url: String,
    kind: String,
    clock: Stopwatch,
    body: Box<dyn Read + Send + Sync>,
    piece: Vec<u8>,
    /// What is read and not yet given away; lines up to `given` are.
    held: Vec<u8>,
    given: usize,
    /// When the last read returned.
    at: f64,
    bytes: u64,
    ended: bool,
    /// What errors must not show.
    key: Option<Secret>,
    under_way: UnderWay,
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").field("url", &self.url).field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl Lines {
    pub(super) fn new(
        url: String,
        kind: String,
        clock: Stopwatch,
        body: Box<dyn Read + Send + Sync>,
        key: Option<Secret>,
        under_way: UnderWay,
    ) -> Self {
        let (held, piece) = (Vec::new(), vec![0; PIECE]);
        Self {
            url,
            kind,
            clock,
            body,
            piece,
            held,
            given: 0,
            at: 0.0,
            bytes: 0,
            ended: false,
            key,
            under_way,
        }
    }

    /// Media type of the answer (`text/event-stream`).
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The next line; `None` when the answer has ended.
    ///
    /// # Errors
    /// [`HttpError::Cut`] when the connection fails; [`HttpError::Answer`] for a line that never ends.
    pub fn next_line(&mut self) -> Result<Option<Line>, HttpError> {
        let mut searched = self.given;
        loop {
            if let Some(end) = self.held[searched..].iter().position(|byte| *byte == b'\n') {
                let end = searched + end;
                let line = self.take(end);
                self.given = end + 1;
                return Ok(Some(line));
            }
            if self.ended {
                let rest = (self.given < self.held.len()).then(|| self.take(self.held.len()));
                self.given = self.held.len();
                return Ok(rest);
            }
            self.held.drain(..self.given);
            self.given = 0;
            searched = self.held.len();
            if searched > MOST_LINE {
                let problem =
                    format!("a line of more than {MOST_LINE} bytes; no server sends that for a token");
                return Err(HttpError::Answer { url: self.url.clone(), problem });
            }
            self.read()?;
        }
    }

    /// An error in what the answer says; the key is hidden in it.
    pub fn wrong(&self, problem: impl AsRef<str>) -> HttpError {
        HttpError::Answer { url: self.url.clone(), problem: self.hidden(problem.as_ref()) }
    }

    /// An answer that ended before it was complete.
    pub fn cut(&self, problem: &str) -> HttpError {
        HttpError::Cut { url: self.url.clone(), bytes: self.bytes, problem: self.hidden(problem) }
    }

    /// The server's words without the key. To be asked for before they are shortened: half a key is not found any more.
    pub fn hidden(&self, words: &str) -> String {
        self.key.as_ref().map_or_else(|| words.to_owned(), |key| key.hidden_in(words))
    }

    fn read(&mut self) -> Result<(), HttpError> {
        loop {
            let read = self.body.read(&mut self.piece);
            self.at = self.clock.seconds();
            match read {
                Ok(0) => self.ended = true,
                Ok(count) => {
                    self.bytes += count as u64;
                    self.under_way.heard(self.bytes, self.at);
                    self.held.extend_from_slice(&self.piece[..count]);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.cut(&error.to_string())),
            }
            return Ok(());
        }
    }

    fn take(&self, end: usize) -> Line {
        let line = &self.held[self.given..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = String::from_utf8_lossy(line).into_owned();
        let text = match &self.key {
            Some(key) => key.hidden_in_reply(text),
            None => text,
        };
        Line { at: self.at, text }
    }
}
