//! From a planned run to the request that its process gets.

use super::binary::Binary;
use super::request::{RunIdentity, RunRequest, TaskFile};
use crate::plan::{Planned, PlannedRun};
use crate::record::Context;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What all requests of a session share.
pub(super) struct Requests<'a> {
    pub(super) planned: &'a Planned,
    /// Folder of the records.
    pub(super) runs: PathBuf,
    /// Folder of the rendered prompts.
    pub(super) renders: PathBuf,
    /// Models of the hub at their commits, by the plan's name for them.
    pub(super) pins: BTreeMap<String, String>,
    /// The day of the plan's first run.
    pub(super) day: String,
    pub(super) context: Context,
    pub(super) binary: &'a Binary,
    /// Errors of earlier attempts by run.
    pub(super) retries: &'a BTreeMap<String, String>,
}

impl Requests<'_> {
    pub(super) fn request(&self, run: &PlannedRun) -> RunRequest {
        let tasks = self.planned.task_sets[run.workload as usize].as_ref();
        let settings = self.planned.settings_of(run);
        RunRequest {
            identity: self.identity(run),
            pinned: settings.named_files().and_then(|name| self.pins.get(name)).cloned(),
            settings,
            day: self.day.clone(),
            workload: self.planned.workloads[run.workload as usize].workload.clone(),
            base: self.planned.folder().to_owned(),
            tasks: tasks.map(|set| TaskFile { path: set.path.clone(), fingerprint: set.fingerprint.clone() }),
            endpoint: None,
            sample: None,
            output: self.runs.join(format!("{}.json", run.id)),
            renders: self.renders.clone(),
            binary: self.binary.clone(),
            context: self.context.clone(),
            warnings: self.retries.get(&run.id).cloned().into_iter().collect(),
        }
    }

    fn identity(&self, run: &PlannedRun) -> RunIdentity {
        RunIdentity {
            id: run.id.clone(),
            plan: self.planned.identity.clone(),
            cell: run.cell,
            label: self.planned.label_of(run),
            arm: run.kind,
            slot: run.slot,
        }
    }
}
