//! What the parent and the process of a run say to each other.

use super::binary::Binary;
use crate::condition::{Condition, Observed, Settings, Workload};
use crate::engine::Endpoint;
use crate::record::{ArmKind, Context, FORMAT, Outcome, PlanIdentity, RunRecord, Slot};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How the line begins with which the process of a run that is ended tells of each request that it waits for.
pub const WAITS: &str = "waits: ";

/// One run to make: a single JSON line on the standard input of `planrun exec`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRequest {
    /// Which run of which plan.
    pub identity: RunIdentity,
    /// What the cell asks for.
    pub settings: Settings,
    /// The hub's model at the commit that its name means; absent for other models.
    pub pinned: Option<String>,
    /// The day of the plan's first run (`2026-11-30`), for chat templates that ask for today's.
    pub day: String,
    /// How the engine is to be asked.
    pub workload: Workload,
    /// Folder that relative paths of the plan start from.
    pub base: PathBuf,
    /// The task file; absent for synthetic prompts.
    pub tasks: Option<TaskFile>,
    /// The server that was started for this run, where the engine is one.
    pub endpoint: Option<Endpoint>,
    /// Only so many of the tasks, evenly spread: for the price of a run, never for a measurement.
    pub sample: Option<usize>,
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

/// A task file as it was when the plan was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskFile {
    /// Where it stands.
    pub path: PathBuf,
    /// Fingerprint of its content.
    pub fingerprint: String,
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
    /// Seconds that starting its server took: 0 without one, `None` where an earlier run started it.
    pub(super) fn started_in(&self) -> Option<f64> {
        self.endpoint.as_ref().map_or(Some(0.0), |endpoint| endpoint.load_s)
    }

    /// What the engine is opened with: where the plan fixes no day for chat templates, all of its runs share the first's, and
    /// where it fixes no commit of a hub's model, the one that was found before the first run.
    pub fn for_engine(&self) -> Settings {
        let mut settings = self.settings.clone();
        if settings.template_date.get().is_none() {
            settings.template_date = self.day.clone().into();
        }
        if let Some(pinned) = &self.pinned {
            settings.name_files(pinned.clone());
        }
        settings
    }

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
    /// The server that runs already is waited for; the parent's own step.
    Waiting,
    /// The model is being loaded.
    Loading,
    /// The engine is open; the first generation begins.
    Open,
    /// Generations that do not count.
    Warming,
    /// Measured generations.
    Item {
        /// Generations done, warm-up included.
        done: u32,
        /// All of this run.
        of: u32,
    },
}

#[cfg(test)]
mod tests {
    use crate::abilities::EngineKind;
    use crate::condition::Settings;

    #[test]
    fn a_commit_is_pinned_where_the_files_are_named() {
        let of = |engine: EngineKind| {
            let (model, files) = ("served".to_owned(), "hf:a/b".to_owned());
            let mut settings = Settings {
                engine: engine.into(),
                model: model.into(),
                model_files: files.into(),
                ..Settings::default()
            };
            settings.name_files("hf:a/b@c".to_owned());
            (settings.model.get().cloned().unwrap(), settings.model_files.get().cloned().unwrap())
        };
        assert_eq!(of(EngineKind::Openai), ("served".to_owned(), "hf:a/b@c".to_owned()));
        assert_eq!(of(EngineKind::LlamaCpp), ("hf:a/b@c".to_owned(), "hf:a/b".to_owned()));
    }
}
