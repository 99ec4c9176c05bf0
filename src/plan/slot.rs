//! Which plan, which arm, which place: what a record says about where its run stood.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name and content of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanIdentity {
    /// Its name.
    pub name: String,
    /// SHA-256 over all that decides the runs.
    pub hash: String,
}

/// Which arm of a block a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ArmKind {
    /// A cell of the grid.
    Cell,
    /// The A/A control (placebo): the baseline a second time.
    Control,
}

/// Place of a run in the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Slot {
    /// Block, from 0.
    pub block: u32,
    /// Sub-block within the block, from 0.
    pub sub_block: u32,
    /// Position within the sub-block, from 0 to 2c-1.
    pub position: u32,
    /// Runs of the sub-block, 2c.
    pub length: u32,
}
