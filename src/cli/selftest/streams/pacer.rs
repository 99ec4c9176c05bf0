//! Who writes all streams of the scripted server: one thread, as in a server that computes its requests as a batch.

use super::connection::{Connection, Shape};
use super::truth::Truth;
use crate::generation::Stopwatch;
use serde_json::json;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// Longest rest with nothing to write, seconds.
const REST: f64 = 3600.0;

/// A stream to write.
pub(super) struct Stream {
    pub(super) connection: Connection,
    pub(super) shape: Shape,
    /// How many tokens it has.
    pub(super) tokens: u64,
    /// Seconds from its request to its first token, and between two tokens.
    pub(super) first: f64,
    pub(super) gap: f64,
    /// What was written so far.
    pub(super) truth: Truth,
    /// Where the connection goes when the stream has ended.
    pub(super) back: Sender<Connection>,
}

impl Stream {
    /// When its next token is due, by the server's clock.
    fn due(&self) -> f64 {
        self.truth.received + self.first + self.truth.sent.len() as f64 * self.gap
    }

    /// Writes the next token, stamped just before.
    fn token(&mut self, clock: &Stopwatch) -> io::Result<()> {
        let (event, due) = (self.shape.token(" word"), self.due());
        let now = clock.seconds();
        self.connection.event(&event)?;
        self.truth.late = self.truth.late.max(now - due);
        self.truth.sent.push(now);
        Ok(())
    }

    /// Writes what stands behind the last token. The truth is written first, so that a client that saw the end finds it.
    fn end(mut self, truth: &mut File) -> io::Result<()> {
        self.connection.event(&self.shape.end())?;
        let (words, tokens) = (self.truth.prompt.split_whitespace().count() as u64, self.tokens);
        let usage =
            json!({ "prompt_tokens": words, "completion_tokens": tokens, "total_tokens": words + tokens });
        self.connection.event(&json!({ "id": "steady", "choices": [], "usage": usage }).to_string())?;
        truth.write_all((serde_json::to_string(&self.truth)? + "\n").as_bytes())?;
        self.connection.end_stream()?;
        // A conversation that nobody waits for any more is over.
        let _ = self.back.send(self.connection);
        Ok(())
    }
}

/// In the order in which they are due; the earliest is the greatest.
impl Ord for Stream {
    fn cmp(&self, other: &Self) -> Ordering {
        other.due().total_cmp(&self.due())
    }
}

impl PartialOrd for Stream {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Stream {}

/// Writes every stream's tokens when they are due.
pub(super) fn pace(streams: &Receiver<Stream>, clock: &Stopwatch, mut truth: File) {
    let mut waiting: BinaryHeap<Stream> = BinaryHeap::new();
    loop {
        let rest = waiting.peek().map_or(REST, |next| next.due() - clock.seconds());
        if rest <= 0.0 {
            waiting.extend(streams.try_iter());
            write_next(&mut waiting, clock, &mut truth);
            continue;
        }
        match streams.recv_timeout(Duration::from_secs_f64(rest)) {
            Ok(stream) => waiting.push(stream),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// The token that is due first. A stream whose client has gone is dropped.
fn write_next(waiting: &mut BinaryHeap<Stream>, clock: &Stopwatch, truth: &mut File) {
    let Some(mut stream) = waiting.pop() else { return };
    if stream.token(clock).is_err() {
        return;
    }
    if (stream.truth.sent.len() as u64) < stream.tokens {
        waiting.push(stream);
    } else {
        let _ = stream.end(truth);
    }
}
