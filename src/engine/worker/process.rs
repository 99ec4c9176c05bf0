//! The process of a worker: started, written to, listened to, and seen to its end.

use super::lines::Lines;
use super::protocol::Said;
use crate::process::{Death, last_words, shortened, tail};
use serde::Serialize;
use std::io::{self, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a worker may take to end after its pipe was closed: so many glances, so far apart.
const GLANCES: u32 = 100;
const GLANCE: Duration = Duration::from_millis(20);
/// Characters of a line that an error shows.
const SHOWN: usize = 200;

/// A worker at work. Dropping it closes its pipe, upon which it ends.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Option<Lines<ChildStdout>>,
    errors: Option<JoinHandle<String>>,
    /// How it ended, once it has.
    ending: Option<String>,
}

/// A line, and when it had arrived.
#[derive(Debug)]
pub(super) struct Heard {
    /// Seconds since the last [`Process::say`].
    pub(super) at: f64,
    /// What it says.
    pub(super) said: Said,
}

impl Process {
    /// Starts it and writes `first`.
    pub(super) fn start(command: &mut Command, first: &str) -> io::Result<Self> {
        let mut child = command.spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut process = Self {
            child,
            input,
            lines: output.map(Lines::new),
            errors: errors.map(|pipe| std::thread::spawn(move || tail(pipe))),
            ending: None,
        };
        // One that died at once is heard of when its first line is waited for.
        let _ = process.write(first.to_owned());
        Ok(process)
    }

    /// Its id.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line. The clock of what is heard is started as it is sent.
    pub(super) fn say<T: Serialize>(&mut self, words: &T) -> Result<(), String> {
        let line = serde_json::to_string(words).map_err(|error| error.to_string())?;
        if let Some(lines) = &mut self.lines {
            lines.restart();
        }
        self.write(line).map_err(|_| self.end())
    }

    /// The first line of the protocol: what the interpreter's own start printed before it is passed over. An object that is
    /// not understood is none of that: its worker would wait for an answer for ever.
    pub(super) fn hear_first(&mut self) -> Result<Said, String> {
        loop {
            let (_, line) = self.line()?;
            match serde_json::from_str(&line) {
                Ok(said) => return Ok(said),
                Err(error) if line.starts_with('{') => return Err(unexpected(&error, &line)),
                Err(_) => {}
            }
        }
    }

    /// Waits for a line.
    ///
    /// # Errors
    /// In words: how the worker ended, or what it said that it must not say.
    pub(super) fn hear(&mut self) -> Result<Heard, String> {
        let (at, line) = self.line()?;
        match serde_json::from_str(&line) {
            Ok(said) => Ok(Heard { at, said }),
            Err(error) => Err(unexpected(&error, &line)),
        }
    }

    fn line(&mut self) -> Result<(f64, String), String> {
        match self.lines.as_mut().map(Lines::next_line) {
            Some(Ok(Some(line))) => Ok(line),
            Some(Err(error)) => Err(error.to_string()),
            Some(Ok(None)) | None => Err(self.end()),
        }
    }

    fn write(&mut self, mut line: String) -> io::Result<()> {
        line.push('\n');
        let Some(input) = &mut self.input else { return Err(io::ErrorKind::BrokenPipe.into()) };
        input.write_all(line.as_bytes())
    }

    /// Sees to its end, and says how it ended.
    fn end(&mut self) -> String {
        if let Some(ending) = &self.ending {
            return ending.clone();
        }
        self.input = None;
        let how = self.wait().map(|status| format!("it {}", Death::from(status).in_words()));
        let how = how.unwrap_or_else(|error| error.to_string());
        let words = self.errors.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let ending = format!("{how}; {}", last_words(&words));
        self.ending.insert(ending).clone()
    }

    fn wait(&mut self) -> io::Result<ExitStatus> {
        for _ in 0..GLANCES {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(GLANCE);
        }
        self.child.kill()?;
        self.child.wait()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        // Nothing can be done about one that cannot be waited for, and nothing is owed to it.
        let _ = self.wait();
    }
}

fn unexpected(error: &serde_json::Error, line: &str) -> String {
    format!("it said something unexpected ({error}): {}", shortened(line, SHOWN))
}
