//! A plan with its records, as kept in a working store or in a published report.

use crate::abilities::ModelFacts;
use crate::engine;
use crate::plan::{PlanErrors, Planned, prepare_text};
use crate::record::{Extension, Origin, RunRecord, Store, StoreError, home_of, load};
use crate::run::prepare;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Everything that a report is rendered from.
#[derive(Debug)]
pub(super) struct Kept {
    /// The folder that holds it.
    pub(super) folder: PathBuf,
    /// The plan that made the records.
    pub(super) planned: Planned,
    /// Text of `schedule.json`.
    pub(super) schedule: String,
    /// Times that blocks were added.
    pub(super) extensions: Vec<Extension>,
    /// The plan file, seen from the folder that holds stores and reports; `None` where an older store does not say.
    pub(super) file: Option<String>,
    /// The records.
    pub(super) records: Vec<RunRecord>,
}

/// Why a report cannot be rendered.
#[derive(Debug, Error)]
pub(super) enum KeptError {
    /// The plan is invalid.
    #[error("{0}")]
    Plan(#[from] PlanErrors),
    /// The records cannot be read.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// A file cannot be read.
    #[error(
        "{path}: {error}; name a plan, a working store (`.planrun/...`) or a published report (`reports/...`)"
    )]
    Io {
        /// Which file.
        path: PathBuf,
        /// What happened.
        error: std::io::Error,
    },
    /// Nothing has run.
    #[error("{0}: there are no runs of this plan yet; make them with `planrun run {0}`")]
    NoRuns(PathBuf),
    /// Records and plan do not belong together.
    #[error(
        "{path}: the plan no longer gives the schedule under which these records were made (the plan, a task file or \
         planrun itself changed since); put them back, or make the runs anew with `planrun run`"
    )]
    Schedule {
        /// The schedule file.
        path: PathBuf,
    },
}

impl Kept {
    /// From a plan file (the newest store of it), a working store, or a published report.
    pub(super) fn find(place: &Path, overrides: &[String]) -> Result<Self, KeptError> {
        if place.is_dir() {
            return Self::open(place);
        }
        let planned = prepare(place, overrides)?;
        let store = Store::all(&home_of(place), &planned.identity)?.pop();
        let store = store.ok_or_else(|| KeptError::NoRuns(place.to_owned()))?;
        Self::of_store(&store, planned)
    }

    /// From a store and the plan that it belongs to.
    pub(super) fn of_store(store: &Store, planned: Planned) -> Result<Self, KeptError> {
        let folder = store.folder().to_owned();
        let schedule = read(&folder.join("schedule.json"))?;
        let Origin { extensions, file, .. } = store.origin().clone();
        let planned = fitting(planned, &folder, &schedule)?;
        Ok(Self { records: store.certified_records()?, folder, planned, schedule, extensions, file })
    }

    fn open(folder: &Path) -> Result<Self, KeptError> {
        let schedule = read(&folder.join("schedule.json"))?;
        let text = read(&folder.join("plan.toml"))?;
        let parsed: Value = serde_json::from_str(&schedule).unwrap_or_default();
        let then = models(&parsed);
        let look_up = |name: &str, base: &Path| match then.get(name) {
            Some(fingerprint) => {
                ModelFacts { fingerprint: Some(fingerprint.clone()), ..ModelFacts::default() }
            }
            None => engine::model_facts(name, base),
        };
        let store = Store::at(folder);
        let origin = store.as_ref().ok().map(|store| store.origin().clone());
        let (extensions, file) = origin.map(|origin| (origin.extensions, origin.file)).unwrap_or_default();
        let stood_at = stood_at(folder, file.as_deref());
        let planned = prepare_text(&stood_at, &text, &overrides(&parsed), &look_up)?;
        if folder.join("runs").is_dir() {
            return Self::of_store(&store?, planned);
        }
        let planned = fitting(planned, folder, &schedule)?;
        Ok(Self { records: load(folder)?, folder: folder.to_owned(), planned, schedule, extensions, file })
    }
}

fn read(path: &Path) -> Result<String, KeptError> {
    fs::read_to_string(path).map_err(|error| KeptError::Io { path: path.to_owned(), error })
}

/// Where the plan stood, so that its relative paths hold: where the store says, else in the `plans/` beside the folder that holds
/// the store or report.
fn stood_at(folder: &Path, file: Option<&str>) -> PathBuf {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let place = |home: &Path| home.join(file.unwrap_or("plans/plan.toml"));
    let place = whole.parent().and_then(Path::parent).map(place);
    match place.filter(|place| place.parent().is_some_and(Path::is_dir)) {
        Some(place) => place,
        None => folder.join("plan.toml"),
    }
}

fn overrides(schedule: &Value) -> Vec<String> {
    let listed = schedule["overrides"].as_array().into_iter().flatten();
    listed.filter_map(|set| set.as_str().map(String::from)).collect()
}

/// Fingerprints of the models that the plan was made with, which need not be here any more.
fn models(schedule: &Value) -> BTreeMap<String, String> {
    serde_json::from_value(schedule["models"].clone()).unwrap_or_default()
}

/// The plan with the blocks of the schedule (a quick run has fewer), if it gives that schedule byte for byte.
fn fitting(mut planned: Planned, folder: &Path, schedule: &str) -> Result<Planned, KeptError> {
    let parsed: Value = serde_json::from_str(schedule).unwrap_or_default();
    if let Some(blocks) = parsed["rule"]["blocks"].as_u64() {
        for workload in planned.workloads.iter_mut().filter(|workload| !workload.once) {
            workload.blocks.truncate(blocks as usize);
        }
        planned.document.schedule.blocks = planned.document.schedule.blocks.min(blocks as u32);
    }
    let mut now = Vec::new();
    match planned.write_schedule(&mut now) {
        Ok(()) if now == schedule.as_bytes() => Ok(planned),
        _ => Err(KeptError::Schedule { path: folder.join("schedule.json") }),
    }
}
