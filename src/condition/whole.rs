//! The three parts of a condition together.

use super::{Observed, Settings, Workload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that a comparison controls about one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Condition {
    /// What the plan asked for.
    pub asked: Settings,
    /// How the engine was asked.
    pub workload: Workload,
    /// What was read when it ran.
    pub found: Observed,
}
