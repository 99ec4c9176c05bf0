//! From a plan to its records: which store, which runs are missing, and the walk over them.

use super::binary::Binary;
use super::circumstances::{first_day, session_context};
use super::local::{Pace, Tally, WalkError, walk};
use super::lock::{DeviceLock, LockError};
use super::models::pins;
use super::progress::Progress;
use super::requests::Requests;
use super::server::{Neighbour, Servers, end_leftovers, neighbours};
use crate::engine::attached;
use crate::measure::Machine;
use crate::plan::{Planned, PlannedRun};
use crate::record::{Context, Opened, Opening, Outcome, Place, RunRecord, Store, StoreError, home_of};
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long the servers of others may take to go away by themselves.
const PATIENCE: Duration = Duration::from_secs(2);

/// How a session is to treat what is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Choices {
    /// Begin a new store.
    pub fresh: bool,
    /// Make failed runs again.
    pub retry_failed: bool,
    /// Go on although other inference servers run on this machine.
    pub beside_servers: bool,
}

/// What a session left behind.
#[derive(Debug)]
pub struct SessionEnd {
    /// Where the records are.
    pub store: Store,
    /// How the store came to be.
    pub opened: Opened,
    /// What was done now.
    pub tally: Tally,
    /// Every record of a planned run, in the order of the plan.
    pub records: Vec<RunRecord>,
    /// Planned runs without a record.
    pub missing: usize,
}

/// Why a session could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Somebody else measures.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// Records could not be kept or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A run left nothing.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// Others serve models on this machine.
    #[error(
        "{}\nother inference servers run on this machine, and would disturb what is measured: end them, or go on with \
         `--beside-servers`, which every record then says",
        .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    )]
    Neighbours(Vec<Neighbour>),
    /// A server that must be there already is not.
    #[error("{0}; start that server, or correct `url`; no run was made")]
    Away(String),
    /// Our own binary cannot be read.
    #[error("cannot read planrun's own binary: {0}")]
    Binary(io::Error),
}

/// Makes the runs of a plan that have no record yet. `tell` gets what a person should know before the first of them.
pub fn session(
    planned: &Planned,
    choices: Choices,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&str),
) -> Result<SessionEnd, SessionError> {
    let binary = Binary::own().map_err(SessionError::Binary)?;
    let place = place(&binary);
    if let Some(store) = complete_store(planned, choices, &place)? {
        return end(planned, store, Opened::Resumed, Tally::default());
    }
    let _lock = DeviceLock::take(&format!("plan {}", planned.identity.name))?;
    end_leftovers(tell);
    let beside = beside(planned, choices)?;
    let (store, opened) = open_store(planned, choices, &place)?;
    announce(&store, &opened, tell);
    let mut records = store.certified_records()?;
    let retries = if choices.retry_failed { take_out_failed(&mut records) } else { BTreeMap::new() };
    let mut present = store.ids()?;
    present.retain(|id| !retries.contains_key(id));
    let missing = || planned.runs().filter(|run| !present.contains(&run.id));
    let rhythm = pace(planned);
    let servers = greeted(planned, missing(), &store, rhythm, (stop, tell))?;
    let mut progress = progress(planned, &records, missing().count());
    let session = Requests {
        planned,
        runs: store.runs(),
        renders: store.renders(),
        pins: pins(planned),
        day: first_day(&records),
        context: Context { beside, ..session_context(planned.folder(), &binary.sha256) },
        binary: &binary,
        retries: &retries,
    };
    let requests = missing().map(|run| session.request(&run));
    let tally = walk(&store, servers, requests, rhythm, stop, &mut progress);
    if stop.load(Ordering::Relaxed) {
        progress.leave();
    } else {
        progress.finish();
    }
    end(planned, store, opened, tally?)
}

/// Nothing runs yet; the servers that runs will ask, and that are nobody's to start, are there. Better told once than found in
/// every run.
fn greeted(
    planned: &Planned,
    missing: impl Iterator<Item = PlannedRun>,
    store: &Store,
    pace: Pace,
    (stop, tell): (&AtomicBool, &mut dyn FnMut(&str)),
) -> Result<Servers, SessionError> {
    let mut servers = Servers::new(store.folder());
    let mut waits = |url: &str| tell(&format!("waiting for {url} to answer"));
    for server in missing.filter_map(|run| attached(&planned.settings_of(&run))) {
        servers.greet(server, pace.timeout, stop, &mut waits).map_err(SessionError::Away)?;
    }
    Ok(servers)
}

/// The servers of others, as records name them; refused where nobody said that they do not matter.
fn beside(planned: &Planned, choices: Choices) -> Result<Vec<String>, SessionError> {
    let mut neighbours = self::neighbours(planned);
    let start = Instant::now();
    // A server whose planrun was just killed is on its way out.
    while !neighbours.is_empty() && !choices.beside_servers && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(200));
        neighbours = self::neighbours(planned);
    }
    if !neighbours.is_empty() && !choices.beside_servers {
        return Err(SessionError::Neighbours(neighbours));
    }
    Ok(neighbours.iter().map(ToString::to_string).collect())
}

/// The records of a plan as they are in the newest of its stores.
pub fn present_state(planned: &Planned) -> Result<Option<SessionEnd>, SessionError> {
    let mut stores = Store::all(&home_of(&planned.path), &planned.identity)?;
    let Some(store) = stores.pop() else { return Ok(None) };
    end(planned, store, Opened::Resumed, Tally::default()).map(Some)
}

/// True if a session would make no run.
pub fn is_done(planned: &Planned, choices: Choices) -> Result<bool, SessionError> {
    let binary = Binary::own().map_err(SessionError::Binary)?;
    complete_store(planned, choices, &place(&binary)).map(|store| store.is_some())
}

fn place(binary: &Binary) -> Place {
    Place { hardware: Machine::default().hardware().get().cloned(), planrun: binary.sha256.clone() }
}

/// The store that a plan is done with, wherever its records were made: nothing is run, and no lock is needed.
fn complete_store(planned: &Planned, choices: Choices, place: &Place) -> Result<Option<Store>, SessionError> {
    if choices.fresh || choices.retry_failed {
        return Ok(None);
    }
    let stores = Store::all(&home_of(&planned.path), &planned.identity)?;
    let Some(store) = Store::newest_of(&stores, place).or(stores.last()) else { return Ok(None) };
    let present = store.ids()?;
    let complete = planned.runs().all(|run| present.contains(&run.id));
    Ok(complete.then(|| store.clone()))
}

fn open_store(planned: &Planned, choices: Choices, place: &Place) -> Result<(Store, Opened), SessionError> {
    let mut schedule = Vec::new();
    planned.write_schedule(&mut schedule).map_err(SessionError::Binary)?;
    Ok(Store::open(&Opening {
        home: &home_of(&planned.path),
        plan: &planned.identity,
        plan_file: &planned.path,
        plan_text: &planned.text,
        schedule: &String::from_utf8_lossy(&schedule),
        place,
        fresh: choices.fresh,
    })?)
}

fn announce(store: &Store, opened: &Opened, tell: &mut dyn FnMut(&str)) {
    let folder = store.folder().display();
    match opened {
        Opened::New | Opened::Resumed => {}
        Opened::Extended(extension) => tell(&format!(
            "{folder}: extended from {} to {} blocks after {} runs; the report will say so",
            extension.from_blocks, extension.to_blocks, extension.after_runs
        )),
        Opened::Beside(earlier) => tell(&format!(
            "{}: its runs were made on another machine or with another build, and are not mixed with new ones; begins \
             a new store {folder}",
            earlier.display()
        )),
        Opened::Fresh(earlier) => tell(&format!(
            "{}: its runs are left alone, for a fresh store was asked for; begins a new store {folder}",
            earlier.display()
        )),
    }
}

/// Takes the failed ones out, whose runs are to be made again, and gives their errors, which go into the new records. In the store
/// they stay until a new record takes their place.
fn take_out_failed(records: &mut Vec<RunRecord>) -> BTreeMap<String, String> {
    let error = |record: &RunRecord| match &record.outcome {
        Outcome::Failed { error, .. } => {
            Some((record.id.clone(), format!("an earlier attempt failed: {error}")))
        }
        Outcome::Done => None,
    };
    let errors: BTreeMap<String, String> = records.iter().filter_map(error).collect();
    records.retain(|record| !errors.contains_key(&record.id));
    errors
}

fn progress(planned: &Planned, records: &[RunRecord], missing: usize) -> Progress {
    let total = planned.run_count();
    let mut progress = Progress::new(total, total - missing, planned.baseline);
    for record in records {
        progress.earlier(record);
    }
    progress
}

fn pace(planned: &Planned) -> Pace {
    let schedule = &planned.document.schedule;
    Pace {
        timeout: Duration::from_secs_f64(schedule.timeout_s),
        cooldown: Duration::from_secs_f64(schedule.cooldown_s),
        burn_in: true,
    }
}

fn end(planned: &Planned, store: Store, opened: Opened, tally: Tally) -> Result<SessionEnd, SessionError> {
    let mut by_id: BTreeMap<String, RunRecord> =
        store.certified_records()?.into_iter().map(|record| (record.id.clone(), record)).collect();
    let records: Vec<RunRecord> = planned.runs().filter_map(|run| by_id.remove(&run.id)).collect();
    let missing = planned.run_count() - records.len();
    Ok(SessionEnd { store, opened, tally, records, missing })
}
