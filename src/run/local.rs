//! The walk over the runs of a plan on this machine: one after the other, each in a process of its own.

use super::child::{ChildEnd, ChildError};
use super::progress::Progress;
use super::request::{RunRequest, Step};
use super::server::Servers;
use crate::record::{FailureKind, Outcome, RunRecord, Store, StoreError, load_run};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How runs follow each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// A run that takes longer is ended and recorded as failed.
    pub timeout: Duration,
    /// Rest between two runs.
    pub cooldown: Duration,
    /// Make the first run twice at the start of a session and throw the first time away, so that no run is the one that
    /// finds a cold disk and a resting machine.
    pub burn_in: bool,
}

/// What came of a walk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Runs made in this session that were measured.
    pub done: usize,
    /// Runs made in this session that failed: id, kind, error.
    pub failed: Vec<(String, FailureKind, String)>,
    /// True if the walk was asked to stop before its end.
    pub stopped: bool,
    /// The address of a server that runs already, if the walk ended because it stayed away.
    pub given_up: Option<String>,
}

/// Why a walk could not go on.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// A run left no record.
    #[error(transparent)]
    Child(#[from] ChildError),
    /// A record cannot be read back.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes these runs in their order. A run that fails is recorded, and the others go on, unless a server that runs already stays
/// away: no arm could be compared with those that ask it.
pub(super) fn walk(
    store: &Store,
    mut servers: Servers,
    missing: impl Iterator<Item = RunRequest>,
    pace: Pace,
    stop: &AtomicBool,
    progress: &mut Progress,
) -> Result<Tally, WalkError> {
    let mut tally = Tally::default();
    let mut missing = missing.peekable();
    if pace.burn_in
        && let Some(first) = missing.peek()
    {
        burn_in(store, first, pace, (&mut servers, stop), progress)?;
    }
    for (index, request) in missing.enumerate() {
        if index > 0 {
            rest(pace.cooldown, stop);
        }
        progress.begin(&request);
        let end = servers.run(&request, pace.timeout, stop, &mut |step| progress.step(&request, step))?;
        if end == ChildEnd::Stopped {
            tally.stopped = true;
            break;
        }
        let record = load_run(&request.output)?;
        progress.end(&record);
        tally.count(&record);
        if let Some(server) = servers.given_up() {
            tally.given_up = Some(server.to_owned());
            break;
        }
    }
    Ok(tally)
}

impl Tally {
    fn count(&mut self, record: &RunRecord) {
        match &record.outcome {
            Outcome::Done => self.done += 1,
            Outcome::Failed { kind, error } => self.failed.push((record.id.clone(), *kind, error.clone())),
        }
    }
}

/// One discarded run. Whether it fails does not matter: the run itself follows and is recorded.
fn burn_in(
    store: &Store,
    first: &RunRequest,
    pace: Pace,
    (servers, stop): (&mut Servers, &AtomicBool),
    progress: &mut Progress,
) -> Result<(), WalkError> {
    let output = store.folder().join("burn-in.json");
    let request = RunRequest { output: output.clone(), ..first.clone() };
    progress.burn_in();
    let waiting = &mut |step| {
        if step == Step::Waiting {
            progress.step(&request, step);
        }
    };
    servers.run(&request, pace.timeout, stop, waiting)?;
    discard(&output);
    Ok(())
}

fn discard(path: &Path) {
    // It is not there when we were stopped; a leftover is never read.
    let _ = std::fs::remove_file(path);
}

fn rest(time: Duration, stop: &AtomicBool) {
    let start = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let Some(left) = time.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) else { break };
        std::thread::sleep(left.min(Duration::from_millis(50)));
    }
}
