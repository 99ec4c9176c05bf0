//! A simulated plan the whole way: a plan file, the real planner, a record of every run in a real store, and back.

use super::paced_engine::PacedEngine;
use super::plan_text::plan_text;
use crate::cli::kept::Kept;
use crate::cli::report::rendered;
use crate::condition::{Condition, HARNESS, Hardware, Observed, Stated};
use crate::engine::{self, EngineError};
use crate::measure::{Machine, measure};
use crate::plan::{PlanErrors, Planned, PlannedRun};
use crate::record::{Context, FORMAT, Opening, Outcome, Place, RunRecord, Store, StoreError};
use crate::run::prepare;
use crate::stats::FitError;
use crate::stats::simulation::{Scenario, SimulatedPlan};
use crate::workload::{DriveError, Job, drive};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::{fs, io};
use tempfile::TempDir;

/// A simulated plan laid out on the disk, with all its records.
pub struct Rehearsal {
    folder: TempDir,
    plan: PathBuf,
    store: Store,
}

/// Why a simulated plan did not get through.
#[derive(Debug, thiserror::Error)]
pub enum RehearsalError {
    /// The values cannot be fitted.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The grid has more factors or levels than the plan file knows settings for.
    #[error("a {0} grid is larger than the self-test has settings for (four factors of four levels)")]
    Grid(String),
    /// The planner refused the plan file.
    #[error("the plan file is refused: {0}")]
    Plan(#[from] PlanErrors),
    /// The planner's runs are not the simulated ones.
    #[error(
        "the schedule is not the simulated one: run {run} is arm {planned:?}, simulated as {simulated:?}"
    )]
    Order {
        /// Place of the first such run in time, from 0.
        run: usize,
        /// The planner's arm; `None` where it has no such run.
        planned: Option<usize>,
        /// The simulated arm.
        simulated: Option<usize>,
    },
    /// The engine could not be opened.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The engine could not be driven.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The records could not be read back and judged.
    #[error("the report cannot be made: {0}")]
    Report(String),
    /// A file could not be written or read.
    #[error("temporary folder: {0}")]
    Io(#[from] io::Error),
}

impl Rehearsal {
    /// Writes the plan, has it planned, and keeps a record of every run in a store.
    pub fn of(scenario: &Scenario, simulated: &SimulatedPlan) -> Result<Self, RehearsalError> {
        let text = plan_text(scenario, simulated.order_seed)
            .ok_or_else(|| RehearsalError::Grid(scenario.grid.name()))?;
        let folder = tempfile::Builder::new().prefix("planrun-selftest-").tempdir()?;
        let plans = folder.path().join("plans");
        fs::create_dir(&plans)?;
        let plan = plans.join("selftest.toml");
        fs::write(&plan, text)?;
        let planned = prepare(&plan, &[])?;
        certify_order(&planned, simulated)?;
        let hardware = Machine::default().hardware();
        let store = open_store(folder.path(), &planned, &hardware)?;
        for (run, log) in planned.runs().zip(&simulated.logs) {
            store.save(&record(&planned, &run, log.exp(), &plans, &hardware)?)?;
        }
        Ok(Self { folder, plan, store })
    }

    /// The store, to look into or to tamper with.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Finds the records of the plan file, judges them, and writes the report; gives `report.json` as it is on the disk.
    pub fn report(&self) -> Result<Value, RehearsalError> {
        let told = |error: &dyn std::fmt::Display| RehearsalError::Report(error.to_string());
        let kept = Kept::find(&self.plan, &[]).map_err(|error| told(&error))?;
        let (_, rendered) = rendered(&kept).map_err(|error| told(&error))?;
        let folder = self.folder.path().join("reports");
        rendered.write_to(&folder)?;
        let text = fs::read_to_string(folder.join("report.json"))?;
        serde_json::from_str(&text).map_err(|error| told(&error))
    }
}

/// Makes sure that the planner orders the runs as the simulation did.
fn certify_order(planned: &Planned, simulated: &SimulatedPlan) -> Result<(), RehearsalError> {
    let ours: Vec<usize> = planned.runs().map(|run| run.arm as usize).collect();
    let theirs = &simulated.arms;
    match (0..ours.len().max(theirs.len())).find(|&run| ours.get(run) != theirs.get(run)) {
        None => Ok(()),
        Some(run) => Err(RehearsalError::Order {
            run,
            planned: ours.get(run).copied(),
            simulated: theirs.get(run).copied(),
        }),
    }
}

fn open_store(home: &Path, planned: &Planned, hardware: &Stated<Hardware>) -> Result<Store, RehearsalError> {
    let mut schedule = Vec::new();
    planned.write_schedule(&mut schedule)?;
    let place = Place { hardware: hardware.get().cloned(), planrun: "selftest".to_owned() };
    let (store, _) = Store::open(&Opening {
        home,
        plan: &planned.identity,
        plan_file: &planned.path,
        plan_text: &planned.text,
        schedule: &String::from_utf8_lossy(&schedule),
        place: &place,
        fresh: false,
    })?;
    Ok(store)
}

/// The record of a run that decodes at `speed` tokens per second, made as a real run is: engine, workload, measurement.
fn record(
    planned: &Planned,
    run: &PlannedRun,
    speed: f64,
    base: &Path,
    hardware: &Stated<Hardware>,
) -> Result<RunRecord, RehearsalError> {
    let asked = planned.settings_of(run);
    let workload = planned.workloads[run.workload as usize].workload.clone();
    let mut engine = PacedEngine { inner: engine::open(&asked, base, None)?, speed };
    let job = Job { settings: &asked, workload: &workload, tasks: None, examples: None };
    let driven = drive(&mut engine, &job, &mut |_| {})?;
    let observed = engine.inner.observed().clone();
    let mut found = Observed { hardware: hardware.clone(), harness: HARNESS.into(), ..observed };
    driven.observe(&mut found);
    let measurement = measure(&driven.items, &driven.around);
    Ok(RunRecord {
        format: FORMAT,
        id: run.id.clone(),
        plan: planned.identity.clone(),
        cell: run.cell,
        label: planned.label_of(run),
        workload: workload.name.clone(),
        arm: run.kind,
        slot: run.slot,
        outcome: Outcome::Done,
        condition: Condition { asked, workload, found },
        context: Context::default(),
        warmup: driven.warmup,
        items: driven.items,
        measurement: measurement.metrics,
        warnings: [driven.warnings, measurement.warnings].concat(),
    })
}
