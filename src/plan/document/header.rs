//! The plan as a whole, and its plain sections.

use super::{Compare, GridTable, SettingsTable, WorkloadTable};
use crate::condition::Isolation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A plan file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "planrun plan")]
pub struct Plan {
    /// What the plan is called and what it is to answer.
    #[serde(rename = "plan")]
    pub header: Header,
    /// What holds for every cell. Every key can be a factor of `[grid]` instead.
    #[serde(default)]
    pub settings: SettingsTable,
    /// Factors and their levels. Every combination of levels is a cell.
    #[serde(default)]
    pub grid: GridTable,
    /// Named bundles of settings that are compared only as a whole: `[deployments.NAME]`.
    #[serde(default)]
    pub deployments: BTreeMap<String, SettingsTable>,
    /// How every cell is asked. Each workload has its own runs and its own comparisons.
    pub workload: Vec<WorkloadTable>,
    /// When the runs take place.
    #[serde(default)]
    pub schedule: Schedule,
    /// Which cells are compared, on which metrics, how strictly.
    #[serde(default)]
    pub compare: Compare,
    /// What the report says beside the results.
    #[serde(default)]
    pub report: Report,
}

/// What the plan is called and what it is to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Short name: lower-case letters, digits and hyphens. Names the store and the report's folder.
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9-]{0,62}$"))]
    pub name: String,
    /// Title of the report; the name where it is left out.
    #[serde(default)]
    pub title: Option<String>,
    /// The one thing that this plan is to answer. Printed first in the report.
    #[schemars(length(min = 1))]
    pub question: String,
    /// Seed of the order of the runs.
    #[serde(default = "default_seed")]
    pub seed: u64,
}

/// When the runs take place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Schedule {
    /// Blocks of a timed workload: in each block every cell runs twice, in mirrored order. 6 is the least from which a
    /// difference can be established; take 8 to 10 on a noisy machine.
    #[schemars(range(min = 1, max = 1000))]
    pub blocks: u32,
    /// Run the baseline a second time in every block, as a placebo that audits the schedule.
    pub control: bool,
    /// Seconds of rest before every run.
    #[schemars(range(min = 0.0, max = 86400.0))]
    pub cooldown_s: f64,
    /// What a run shares with its neighbours. Only `run` is accepted: the others share a server, and no engine of this
    /// version is one.
    pub isolation: Isolation,
    /// Seconds after which a run is ended and recorded as failed.
    #[schemars(range(min = 1.0, max = 604_800.0))]
    pub timeout_s: f64,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { blocks: 6, control: true, cooldown_s: 0.0, isolation: Isolation::Run, timeout_s: 600.0 }
    }
}

/// What the report says beside the results.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Report {
    /// What a reader must know and no record can tell (cooling, what else ran on the machine). Printed among the limits.
    pub notes: Vec<String>,
}

fn default_seed() -> u64 {
    1
}
