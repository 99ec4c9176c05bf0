//! A child in a process group of its own: spawned, listened to, and ended with all its descendants.

use super::last_words::tail;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a waiting parent looks whether it was asked to stop. A child's end is noticed at once.
const GLANCE: Duration = Duration::from_millis(50);

/// Time between the polite signal and the one that cannot be refused.
const GRACE: Duration = Duration::from_secs(2);

/// How long a child that took too long may take to say what it waited for.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How long a child that is asked for a line may take.
const FIRST_WORDS: Duration = Duration::from_secs(10);

/// What Rust's runtime says before it aborts for want of memory.
const ALLOCATION_FAILED: &str = "memory allocation of";

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal, which somebody else sent.
    Signalled(i32),
    /// By want of memory: the kernel ended it, or an allocation failed.
    OutOfMemory,
    /// By us, because it ran too long.
    TimedOut,
    /// By us, because we were asked to stop.
    Stopped,
}

/// A child, the head of its own process group. Dropping it ends the group.
#[derive(Debug)]
pub struct Group {
    child: Child,
    id: Pid,
    /// Held open while the child may run: it ends when this closes, so that it never outlives a killed parent.
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    last_words: String,
    oom_kills_before: Option<u64>,
    ended: bool,
}

impl Group {
    /// Starts `command` in a new process group and hands it `input` and a line end on its standard input, which then
    /// stays open.
    pub fn spawn(command: &mut Command, input: &str) -> io::Result<Self> {
        let oom_kills_before = oom_kills();
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let id = Pid::from_child(&child);
        let (send, lines) = channel();
        let stdout = child.stdout.take();
        std::thread::spawn(move || {
            for line in stdout.into_iter().flat_map(|out| BufReader::new(out).lines()).map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let stderr = child.stderr.take();
        let errors = std::thread::spawn(move || stderr.map(tail).unwrap_or_default());
        let mut stdin = child.stdin.take();
        if let Some(pipe) = &mut stdin {
            // A child that died at once closes its end; how it died is read by `watch`.
            let _ = pipe.write_all(input.as_bytes()).and_then(|()| pipe.write_all(b"\n"));
        }
        Ok(Self {
            child,
            id,
            input: stdin,
            lines,
            errors: Some(errors),
            last_words: String::new(),
            oom_kills_before,
            ended: false,
        })
    }

    /// Process id of the child, which is also its group's.
    pub fn pid(&self) -> i32 {
        self.id.as_raw_nonzero().get()
    }

    /// The next line of the child's standard output.
    ///
    /// # Errors
    /// When the child says nothing for ten seconds, or has closed its output.
    pub fn next_line(&mut self) -> io::Result<String> {
        self.lines.recv_timeout(FIRST_WORDS).map_err(|_| {
            let _ = self.end();
            io::Error::other(format!("it said nothing: {}", self.last_words()))
        })
    }

    /// Passes on each line of the child's standard output until it ends, runs longer than `limit`, or `stop` is set.
    /// In the last two cases the group is ended first.
    pub fn watch(
        &mut self,
        limit: Duration,
        stop: &AtomicBool,
        on_line: &mut dyn FnMut(&str),
    ) -> io::Result<Ending> {
        let start = Instant::now();
        loop {
            if stop.load(Ordering::Relaxed) {
                self.end()?;
                return Ok(Ending::Stopped);
            }
            if start.elapsed() >= limit {
                self.let_it_end()?;
                self.end()?;
                return Ok(Ending::TimedOut);
            }
            match self.lines.recv_timeout(GLANCE) {
                Ok(line) => on_line(&line),
                Err(RecvTimeoutError::Disconnected) => {
                    if let Some(status) = self.wait_a_little()? {
                        return Ok(self.judge(status));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(status) = self.child.try_wait()? {
                        return Ok(self.judge(status));
                    }
                }
            }
        }
    }

    /// Closes its standard input, by which one of ours knows that it is to end, and says what it waited for.
    fn let_it_end(&mut self) -> io::Result<()> {
        self.input = None;
        let start = Instant::now();
        while start.elapsed() < LAST_WORDS && self.child.try_wait()?.is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Ends the whole group: the polite signal first, the other one after a grace of a few seconds.
    pub fn end(&mut self) -> io::Result<()> {
        self.input = None;
        self.signal(Signal::TERM);
        let start = Instant::now();
        while self.child.try_wait()?.is_none() {
            if start.elapsed() >= GRACE {
                self.signal(Signal::KILL);
                self.child.wait()?;
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.signal(Signal::KILL);
        self.ended = true;
        Ok(())
    }

    /// The last lines that the child wrote to standard error. Call it after the child has ended.
    pub fn last_words(&mut self) -> &str {
        if let Some(words) = self.errors.take().and_then(|thread| thread.join().ok()) {
            self.last_words = words;
        }
        self.last_words.trim()
    }

    /// The child has closed its output, so it is about to end; one that goes on in silence is looked at again later.
    fn wait_a_little(&mut self) -> io::Result<Option<ExitStatus>> {
        let start = Instant::now();
        while start.elapsed() < GLANCE {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            std::thread::sleep(Duration::from_micros(300));
        }
        Ok(None)
    }

    fn judge(&mut self, status: ExitStatus) -> Ending {
        self.signal(Signal::KILL); // what the child itself started and left behind
        self.ended = true;
        match status.signal() {
            None => Ending::Exited(status.code().unwrap_or(-1)),
            Some(signal) if signal == Signal::KILL.as_raw() && self.oom_killed() => Ending::OutOfMemory,
            Some(signal)
                if signal == Signal::ABORT.as_raw() && self.last_words().contains(ALLOCATION_FAILED) =>
            {
                Ending::OutOfMemory
            }
            Some(signal) => Ending::Signalled(signal),
        }
    }

    fn oom_killed(&self) -> bool {
        matches!((self.oom_kills_before, oom_kills()), (Some(before), Some(after)) if after > before)
    }

    fn signal(&self, signal: Signal) {
        // The only possible error is that nobody of the group is left, which is what we want.
        let _ = kill_process_group(self.id, signal);
    }
}

/// Ends this process and, if it is the head of its group, all that it started: workers that compute would not notice its end before
/// they listen again.
pub fn end_own_group(code: i32) -> ! {
    let own = rustix::process::getpid();
    if rustix::process::getpgrp() == own {
        let _ = kill_process_group(own, Signal::KILL);
    }
    std::process::exit(code)
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.ended {
            self.signal(Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

/// How many processes the kernel has ended for want of memory since it started; Linux only.
fn oom_kills() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/vmstat").ok()?;
    text.lines().find_map(|line| line.strip_prefix("oom_kill "))?.trim().parse().ok()
}
