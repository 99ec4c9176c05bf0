//! What a store belongs to: one plan, one machine, one build.

use super::PlanIdentity;
use crate::condition::Hardware;
use serde::{Deserialize, Serialize};

/// Where runs take place. Runs of different places are never mixed in one store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The machine; absent where it cannot be read.
    pub hardware: Option<Hardware>,
    /// SHA-256 of planrun's own binary.
    pub planrun: String,
}

/// The store's own description, `origin.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Version of the store's layout.
    pub format: u32,
    /// The plan.
    pub plan: PlanIdentity,
    /// The machine and the build.
    pub place: Place,
    /// SHA-256 of `schedule.json`.
    pub schedule: String,
    /// Each time that blocks were added after runs had been made.
    #[serde(default)]
    pub extensions: Vec<Extension>,
    /// The plan file as seen from the folder in which the store stands (`plans/x.toml`, `../elsewhere/x.toml`); absent where no
    /// relative path leads there, and in older stores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// Blocks were added to a store that had runs already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extension {
    /// Runs that the store held at that time.
    pub after_runs: usize,
    /// Blocks before.
    pub from_blocks: usize,
    /// Blocks since.
    pub to_blocks: usize,
}
