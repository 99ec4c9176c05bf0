//! Settings that a model's family cannot honour, whatever its engine can do.

use super::stated::Complaint;
use crate::abilities::{Lack, ModelFacts, Wanted, lacks};
use crate::condition::{CacheState, Settings};

/// What a cell asks of a model that it lacks; `name` is the model's.
pub(super) fn beyond_the_family(settings: &Settings, name: &str, model: &ModelFacts) -> Vec<Complaint> {
    let Some(family) = model.upstream_family else { return Vec::new() };
    let wanted = Wanted {
        quantization: settings.quantization.get().map(String::as_str),
        prefill_chunk: settings.prefill_chunk.get().is_some(),
        likelihoods: settings.scorer.get().is_some_and(|scorer| scorer.reads_likelihoods()),
        warm_prefix: settings.prefix_cache.get() == Some(&CacheState::Warm),
    };
    let complaint = |lack: Lack| Complaint {
        key: lack.key,
        problem: format!("`{name}`: {}", lack.problem),
        remedy: lack.remedy.to_owned(),
    };
    lacks(family, wanted).into_iter().map(complaint).collect()
}
