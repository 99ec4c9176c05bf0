//! Lines from a pipe, each with the time at which it had arrived.

use crate::generation::Stopwatch;
use std::io::{self, ErrorKind, Read};

/// Bytes asked for in one read.
const PIECE: usize = 64 << 10;
/// Most bytes of one line; a worker's are some dozens.
const MOST: usize = 1 << 20;

/// Reads lines and remembers when each read returned. It is read by the thread that waits for the reply: nothing happens
/// between two reads but the parsing of a short line, and lines that arrived meanwhile come with the next read, together.
#[derive(Debug)]
pub(super) struct Lines<R> {
    pipe: R,
    clock: Stopwatch,
    piece: Vec<u8>,
    held: Vec<u8>,
    /// Seconds on the clock when the last read returned.
    at: f64,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(pipe: R) -> Self {
        Self { pipe, clock: Stopwatch::real(), piece: vec![0; PIECE], held: Vec::new(), at: 0.0 }
    }

    /// Starts the clock anew.
    pub(super) fn restart(&mut self) {
        self.clock = self.clock.restart();
    }

    /// The next line that is not empty, and the seconds since the clock was started; `None` when the pipe is closed.
    pub(super) fn next_line(&mut self) -> io::Result<Option<(f64, String)>> {
        let mut searched = 0;
        loop {
            if let Some(end) = self.held[searched..].iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.held.drain(..=searched + end).collect();
                searched = 0;
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                if !text.is_empty() {
                    return Ok(Some((self.at, text)));
                }
                continue;
            }
            searched = self.held.len();
            if searched > MOST {
                return Err(io::Error::new(ErrorKind::InvalidData, "a line that does not end"));
            }
            if self.read()? == 0 {
                return Ok(None);
            }
        }
    }

    fn read(&mut self) -> io::Result<usize> {
        loop {
            let read = self.pipe.read(&mut self.piece);
            self.at = self.clock.seconds();
            match read {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(count) => {
                    self.held.extend_from_slice(&self.piece[..count]);
                    return Ok(count);
                }
            }
        }
    }
}
