//! Settings that a model's family cannot honour, whatever its engine can do.

use super::stated::Complaint;
use crate::abilities::{Lack, ModelFacts, lacks};
use crate::condition::Settings;

/// What a cell asks of a model that it lacks; `name` is the model's.
pub(super) fn beyond_the_family(settings: &Settings, name: &str, model: &ModelFacts) -> Vec<Complaint> {
    let Some(family) = model.upstream_family else { return Vec::new() };
    let complaint = |lack: Lack| Complaint {
        key: lack.key,
        problem: format!("`{name}`: {}", lack.problem),
        remedy: lack.remedy.to_owned(),
    };
    lacks(family, settings.wanted()).into_iter().map(complaint).collect()
}
