//! What the parent and the process of a run say to each other.

use super::binary::Binary;
use crate::condition::{Condition, Observed, Settings, Workload};
use crate::record::{ArmKind, Context, FORMAT, Outcome, PlanIdentity, RunRecord, Slot};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One run to make: a single JSON line on the standard input of `planrun exec`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRequest {
    /// Which run of which plan.
    pub identity: RunIdentity,
    /// What the cell asks for.
    pub settings: Settings,
    /// How the engine is to be asked.
    pub workload: Workload,
    /// Folder that relative paths of the plan start from.
    pub base: PathBuf,
    /// Seed of the plan, for synthetic prompts.
    pub seed: u64,
    /// Where the record goes.
    pub output: PathBuf,
    /// Folder for rendered prompts.
    pub renders: PathBuf,
    /// The parent's binary; any other refuses.
    pub binary: Binary,
    /// What the parent read once for the whole session.
    pub context: Context,
    /// What the record must say from the start (an earlier attempt that failed).
    pub warnings: Vec<String>,
}

/// The place of a run in its plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunIdentity {
    /// Id of the run, unique within its plan.
    pub id: String,
    /// The plan.
    pub plan: PlanIdentity,
    /// Index of the cell.
    pub cell: u32,
    /// The cell in words.
    pub label: String,
    /// Cell or control.
    pub arm: ArmKind,
    /// Place in the schedule.
    pub slot: Slot,
}

impl RunRequest {
    /// The record of this run before anything is known of it.
    pub fn record(&self, outcome: Outcome) -> RunRecord {
        let RunIdentity { id, plan, cell, label, arm, slot } = self.identity.clone();
        RunRecord {
            format: FORMAT,
            id,
            plan,
            cell,
            label,
            workload: self.workload.name.clone(),
            arm,
            slot,
            outcome,
            condition: Condition {
                asked: self.settings.clone(),
                workload: self.workload.clone(),
                found: Observed::default(),
            },
            context: self.context.clone(),
            warmup: Vec::new(),
            items: Vec::new(),
            measurement: BTreeMap::new(),
            warnings: self.warnings.clone(),
        }
    }
}

/// What the process of a run tells while it is at work: one JSON line each, never from inside a token loop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Step {
    /// The model is being loaded.
    Loading,
    /// Generations that do not count.
    Warming,
    /// Measured generations.
    Item {
        /// Finished ones.
        done: u32,
        /// All of this run.
        of: u32,
    },
    /// The record is written.
    Finished {
        /// Pooled decode rate, where it was measured.
        decode_tok_s: Option<f64>,
    },
}

/// Exit codes of `planrun exec`, read by its parent only.
pub mod exec_exit {
    /// A record was written, of a success or of a failure.
    pub const RECORDED: u8 = 0;
    /// Nothing was written: the request could not be read, or the record could not be kept.
    pub const UNABLE: u8 = 1;
    /// Nothing was written: this is not the parent's binary.
    pub const OTHER_BINARY: u8 = 10;
    /// Nothing was written: the parent is gone.
    pub const ORPHANED: u8 = 11;
}
