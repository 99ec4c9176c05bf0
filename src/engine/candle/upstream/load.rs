//! From a description, files and settings to a model.

use super::configuration::Sizes;
use super::description::Description;
use super::panics::caught;
use super::tensors::weights;
use super::upstream_model::UpstreamModel;
use crate::abilities::{Footprint, lacks};
use crate::condition::{Settings, Stated};
use crate::engine::EngineError;
use crate::engine::candle::build::upstream_runtime;
use crate::engine::candle::checkpoint::HuggingFace;
use crate::engine::candle::load::Ready;
use crate::engine::candle::support::{context_length, unsupported};
use std::path::Path;

const F32: usize = size_of::<f32>();
/// Copies of the products of queries and keys that stand side by side: plain, masked, as shares.
const SCORES: usize = 3;

/// Builds the model; `place` is the folder.
pub(in crate::engine::candle) fn load(
    description: &Description,
    files: HuggingFace<'_>,
    settings: &Settings,
    place: &Path,
) -> Result<Ready, EngineError> {
    refuse_what_is_lacking(description.family.name, settings)?;
    let Description { family, configuration } = description;
    let context = context(description, settings)?;
    let footprint = foresee(description, &files, settings)?;
    let build = || (family.build)(configuration, context, weights(files, family));
    let model = caught(family.name, build).map_err(|error| EngineError::Unusable {
        path: place.to_owned(),
        problem: error.to_string(),
        remedy: "take all files from the same revision of the model".to_owned(),
    })?;
    Ok(Ready {
        model: Box::new(UpstreamModel::new(family.name, model, configuration.sizes.vocabulary, context)),
        scheme: "f32".to_owned(),
        bits_per_weight: 32.0,
        runtime: upstream_runtime(),
        prefill_chunk: Stated::Unset,
        footprint,
    })
}

/// Memory that the model will need.
pub(in crate::engine::candle) fn foresee(
    description: &Description,
    files: &HuggingFace<'_>,
    settings: &Settings,
) -> Result<Footprint, EngineError> {
    let sizes = &description.configuration.sizes;
    let context = context(description, settings)?;
    let Sizes { hidden, heads, layers, vocabulary, .. } = *sizes;
    let (head_dim, kv_width) = (sizes.head_dim(), sizes.kv_heads() * sizes.head_dim());
    Ok(Footprint {
        weights: (files.elements() * F32) as u64,
        cache_per_token: (2 * layers * kv_width * F32) as u64,
        scratch_per_token: (4 * (hidden + heads * head_dim) * F32) as u64,
        scratch_per_pair: (SCORES * heads * F32) as u64,
        chunk: context as u64,
        fixed: ((context * head_dim + vocabulary) * F32) as u64,
    })
}

fn context(description: &Description, settings: &Settings) -> Result<usize, EngineError> {
    let sizes = &description.configuration.sizes;
    match (settings.context_length.get(), sizes.window) {
        (Some(asked), Some(window)) if *asked as usize > window => {
            let family = description.family.name;
            let problem = format!(
                "{asked} asked for, and beyond {window} tokens the attention of `{family}` slides, which \
                 candle-transformers does not compute as the model was trained"
            );
            Err(unsupported("context_length", problem, "ask for at most that, or leave it out"))
        }
        _ => context_length(settings, sizes.context()),
    }
}

fn refuse_what_is_lacking(family: &str, settings: &Settings) -> Result<(), EngineError> {
    match lacks(family, settings.wanted()).into_iter().next() {
        Some(lack) => Err(unsupported(lack.key, lack.problem, lack.remedy)),
        None => Ok(()),
    }
}
