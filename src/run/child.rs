//! One run in a process of its own: started, listened to, and turned into a record however it ends.

use super::request::{RunRequest, Step, WAITS};
use crate::condition::{HARNESS, Stated};
use crate::engine::{SALT_VARIABLE, process_environment};
use crate::exit::Exit;
use crate::process::{Death, Ending, Group};
use crate::record::{FailureKind, Outcome, RunRecord, StoreError, save_record};
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Why a run left no record at all: the session cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// The process could not be started or watched.
    #[error("{path}: cannot start the process of a run: {source}")]
    Start {
        /// The binary.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The binary was replaced while the session was under way.
    #[error("{0}: this file is no longer the planrun that began the session; run the same command again")]
    OtherBinary(PathBuf),
    /// The child could not keep its record.
    #[error("run {id}: {problem}")]
    Unable {
        /// The run.
        id: String,
        /// What the child said.
        problem: String,
    },
    /// The failure could not be recorded.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How a run in a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChildEnd {
    /// There is a record, of a success or of a failure.
    Recorded,
    /// It was ended because we were asked to stop; there is no record.
    Stopped,
}

/// Makes one run in a child. A child that dies, hangs or runs out of memory gets its failure record from here.
pub(super) fn run_in_child(
    request: &RunRequest,
    limit: Duration,
    stop: &AtomicBool,
    on_step: &mut dyn FnMut(Step),
) -> Result<ChildEnd, ChildError> {
    let started = Instant::now();
    let failed = |source| ChildError::Start { path: request.binary.path.clone(), source };
    let text = serde_json::to_string(request).map_err(|error| failed(error.into()))?;
    let mut group = Group::spawn(&mut command(request), &text).map_err(failed)?;
    let mut reached = Reached { step: None, at: started };
    let mut listen = |line: &str| {
        if let Ok(step) = serde_json::from_str(line) {
            reached = Reached { step: Some(step), at: Instant::now() };
            on_step(step);
        }
    };
    let ending = group.watch(limit, stop, &mut listen).map_err(failed)?;
    let words = without_hints(group.last_words());
    let timed_out = || (reached.kind_of_time_out(), timed_out(request, limit, &reached, &words));
    let Some((kind, error)) = failure(ending, timed_out, &words) else {
        return match ending {
            Ending::Stopped => Ok(ChildEnd::Stopped),
            Ending::Exited(code) if code == i32::from(Exit::Done as u8) => Ok(ChildEnd::Recorded),
            Ending::Exited(code) if code == i32::from(Exit::Usage as u8) => {
                Err(ChildError::OtherBinary(request.binary.path.clone()))
            }
            _ => Err(ChildError::Unable { id: request.identity.id.clone(), problem: words }),
        };
    };
    save_record(&request.output, &failure_record(request, kind, error, started.elapsed()))?;
    Ok(ChildEnd::Recorded)
}

fn command(request: &RunRequest) -> Command {
    let mut command = Command::new(&request.binary.path);
    command.arg("exec").env_remove("RUST_BACKTRACE").env(SALT_VARIABLE, &request.identity.id);
    command.envs(process_environment(&request.settings));
    command
}

/// What a dying run said, without the runtime's advice on backtraces, which nobody who reads a record can follow.
fn without_hints(words: &str) -> String {
    let lines = words.lines().filter(|line| !line.starts_with("note: run with `RUST_BACKTRACE"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Says what went wrong where the child could not say it itself.
fn failure(
    ending: Ending,
    timed_out: impl Fn() -> (FailureKind, String),
    words: &str,
) -> Option<(FailureKind, String)> {
    let said = |what: String| if words.is_empty() { what } else { format!("{what}: {words}") };
    match ending {
        Ending::TimedOut => Some(timed_out()),
        Ending::OutOfMemory => Some((FailureKind::OutOfMemory, said("ended for want of memory".into()))),
        Ending::Signalled(signal) => Some((FailureKind::Crashed, said(Death::Signal(signal).in_words()))),
        Ending::Exited(code) if !known(code) => {
            Some((FailureKind::Crashed, said(Death::Code(code).in_words())))
        }
        Ending::Exited(_) | Ending::Stopped => None,
    }
}

/// How far a run got.
struct Reached {
    /// Its last step; `None` before the first.
    step: Option<Step>,
    at: Instant,
}

impl Reached {
    /// An engine that never opens is not there, like a server that never becomes ready.
    fn kind_of_time_out(&self) -> FailureKind {
        match self.step {
            None | Some(Step::Waiting | Step::Loading) => FailureKind::EngineUnavailable,
            Some(Step::Open | Step::Warming | Step::Item { .. }) => FailureKind::Timeout,
        }
    }
}

/// What was waited for in vain, and for how long.
fn timed_out(request: &RunRequest, limit: Duration, reached: &Reached, words: &str) -> String {
    let started = request.endpoint.as_ref().map(|endpoint| endpoint.url.as_str());
    let asked = started.or(request.settings.url.get().map(String::as_str));
    let whom = asked.unwrap_or("the engine");
    let what = match reached.step {
        None | Some(Step::Waiting | Step::Loading) => format!("{whom} was not open after"),
        Some(Step::Open) => format!("{whom} left the first reply unfinished for"),
        Some(Step::Warming) => format!("{whom} left a reply of the warm-up unfinished for"),
        // The last steps may be untold: they come in quick succession.
        Some(Step::Item { done, of }) => {
            format!("{whom} finished {done} or more of {of} replies, and left the next one unfinished for")
        }
    };
    let requests: Vec<&str> = words.lines().filter_map(|line| line.trim().strip_prefix(WAITS)).collect();
    let waits = if requests.is_empty() { String::new() } else { format!(" ({})", requests.join(", ")) };
    let (limit, waited) = (limit.as_secs_f64(), reached.at.elapsed().as_secs_f64());
    format!(
        "no end within {limit} s, the plan's `timeout_s`: {what} {waited:.1} s{waits}; if it only needs more time, raise `timeout_s`"
    )
}

fn known(code: i32) -> bool {
    [Exit::Done, Exit::Internal, Exit::Usage].iter().any(|&exit| i32::from(exit as u8) == code)
}

/// The record of a run whose server could not be had.
pub(super) fn unavailable(request: &RunRequest, problem: String, took: Duration) -> RunRecord {
    failure_record(request, FailureKind::EngineUnavailable, problem, took)
}

fn failure_record(request: &RunRequest, kind: FailureKind, error: String, took: Duration) -> RunRecord {
    let mut record = request.record(Outcome::Failed { kind, error });
    record.condition.found.harness = Stated::Set(HARNESS);
    record.context.wall_s = took.as_secs_f64();
    record
}
