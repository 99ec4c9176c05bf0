//! A plan with what its models' files say.

use crate::engine::model_facts;
use crate::plan::{self, PlanErrors, Planned};
use std::path::Path;

/// Reads and checks a plan, as [`plan::prepare`] does; local models are looked at.
pub fn prepare(path: &Path, overrides: &[String]) -> Result<Planned, PlanErrors> {
    plan::prepare(path, overrides, &model_facts)
}
