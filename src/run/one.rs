//! One run, inside its own process: open the engine, drive the workload, measure, and put the record together.

use super::circumstances::now;
use super::request::{RunRequest, Step};
use crate::condition::{HARNESS, Stated};
use crate::engine::{self, Engine, http::is_loopback};
use crate::fingerprint;
use crate::generation::Stopwatch;
use crate::measure::{Machine, Readings, measure};
use crate::record::{Context, FailureKind, Outcome, RunRecord, write_atomically};
use crate::task::TaskSet;
use crate::workload::{Driven, Job, Progress, drive};
use serde_json::json;
use std::io;
use std::path::Path;
use std::time::Instant;

/// Makes the run that is asked for. Whatever goes wrong with it stands in the record.
pub fn make(request: &RunRequest, tell: &mut dyn FnMut(Step)) -> RunRecord {
    let machine = Machine::default();
    let started = Instant::now();
    let mut record = request.record(Outcome::Done);
    record.context.started = now();
    note(&mut record.context, &machine.readings());
    record.condition.found.hardware = machine.hardware();
    record.condition.found.harness = HARNESS.into();
    if let Err(Failure { kind, error }) = attempt(request, &mut record, tell) {
        record.outcome = Outcome::Failed { kind, error };
    }
    note(&mut record.context, &machine.readings());
    record.context.wall_s = started.elapsed().as_secs_f64();
    record
}

/// Why a run was not measured.
struct Failure {
    kind: FailureKind,
    error: String,
}

impl Failure {
    fn of<E: ToString>(kind: FailureKind) -> impl FnOnce(E) -> Self {
        move |error| Self { kind, error: error.to_string() }
    }
}

fn attempt(request: &RunRequest, record: &mut RunRecord, tell: &mut dyn FnMut(Step)) -> Result<(), Failure> {
    tell(Step::Loading);
    let tasks = task_set(request)?;
    let examples = example_set(request)?;
    let loading = Stopwatch::real();
    let mut engine = engine::open(&request.for_engine(), &request.base, request.endpoint.as_ref())
        .map_err(Failure::of(FailureKind::EngineUnavailable))?;
    let opened_in = loading.seconds();
    tell(Step::Open);
    // On a virtual clock real seconds would be the one number that never repeats; who attaches loads nothing.
    let attached = engine.is_elsewhere() && request.endpoint.is_none();
    let timed = !engine.clock().is_virtual() && !attached;
    let load_s = request.started_in().filter(|_| timed).map(|started_in| started_in + opened_in);
    found_by_engine(engine.as_ref(), record);
    if request.settings.url.get().is_some_and(|url| !is_loopback(url)) {
        // What was read is the machine that asks, and nothing is known of the one that computes.
        record.condition.found.hardware = Stated::Unknown;
    }
    let job = Job {
        settings: &request.settings,
        workload: &request.workload,
        tasks: tasks.as_ref(),
        examples: examples.as_ref(),
    };
    let mut listen = |progress: Progress| tell(step(progress));
    let mut driven = drive(engine.as_mut(), &job, &mut listen).map_err(Failure::of(FailureKind::Engine))?;
    driven.around.load_s = load_s;
    driven.observe(&mut record.condition.found);
    keep_renders(&request.renders, &driven).map_err(Failure::of(FailureKind::Engine))?;
    fill(record, driven)
}

/// Keeps what was driven and measured. Replies that contradict the condition are kept and do not count.
fn fill(record: &mut RunRecord, driven: Driven) -> Result<(), Failure> {
    let measurement = measure(&driven.items, &driven.around);
    record.measurement = measurement.metrics;
    record.warmup = driven.warmup;
    record.items = driven.items;
    record.warnings.extend(driven.warnings);
    record.warnings.extend(measurement.warnings);
    let gone = driven.outage.map(|error| Failure { kind: FailureKind::Engine, error });
    let void = driven.void.map(|error| Failure { kind: FailureKind::Void, error });
    gone.or(void).map_or(Ok(()), Err)
}

/// The engine leaves unknown what others read; that is kept.
fn found_by_engine(engine: &dyn Engine, record: &mut RunRecord) {
    let found = &mut record.condition.found;
    let (hardware, harness) = (found.hardware.clone(), found.harness);
    *found = engine.observed().clone();
    found.hardware = hardware;
    found.harness = harness;
}

/// Reads the task file, and makes sure that it is the one the plan was made with.
fn task_set(request: &RunRequest) -> Result<Option<TaskSet>, Failure> {
    let Some(file) = &request.tasks else { return Ok(None) };
    let set = TaskSet::read(&file.path).map_err(Failure::of(FailureKind::Void))?;
    if set.fingerprint() == file.fingerprint {
        return Ok(Some(request.sample.map_or_else(|| set.clone(), |count| spread(&set, count))));
    }
    let error = format!("{}: changed since the session began; start it again", file.path.display());
    Err(Failure { kind: FailureKind::Void, error })
}

/// So many tasks, evenly spread over the set.
fn spread(set: &TaskSet, count: usize) -> TaskSet {
    let step = set.len().div_ceil(count.max(1)).max(1);
    TaskSet { tasks: set.tasks.iter().step_by(step).cloned().collect() }
}

fn example_set(request: &RunRequest) -> Result<Option<TaskSet>, Failure> {
    let Some(name) = request.settings.few_shot_tasks.get() else { return Ok(None) };
    TaskSet::read(&request.base.join(name)).map(Some).map_err(Failure::of(FailureKind::Void))
}

fn step(progress: Progress) -> Step {
    if progress.warmup {
        Step::Warming
    } else {
        Step::Item { done: progress.done as u32, of: progress.total as u32 }
    }
}

/// Rendered prompts are kept once for all runs that share them, under their fingerprint.
fn keep_renders(folder: &Path, driven: &Driven) -> io::Result<()> {
    let Some(name) = driven.prompt_fingerprint.get() else { return Ok(()) };
    let path = folder.join(format!("{}.json", fingerprint::short(name)));
    if path.exists() {
        return Ok(());
    }
    let prompts: Vec<_> =
        driven.renders.iter().map(|render| json!({ "id": render.id, "text": render.text })).collect();
    let text = json!({ "prompt_fingerprint": name, "prompts": prompts }).to_string();
    write_atomically(&path, text.as_bytes())
}

fn note(context: &mut Context, readings: &Readings) {
    context.load_average.extend(readings.load_average);
    context.temperature_c.extend(readings.temperature_c);
    if context.free_memory_mib.is_none() {
        context.free_memory_mib = readings.free_memory_mib;
    }
}
