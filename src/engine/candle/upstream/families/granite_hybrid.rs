//! Granite 4 without Mamba layers and experts: `granite-4.0-350m`, `-1b` and `-micro`.

use crate::engine::candle::upstream::configuration::Configuration;
use crate::engine::candle::upstream::family::{Forward, WithCache};
use candle_core::{DType, Device, Error, Result};
use candle_nn::VarBuilder;
use candle_transformers::models::granitemoehybrid::{
    GraniteMoeHybrid, GraniteMoeHybridCache, GraniteMoeHybridConfig,
};
use serde_json::Value;

pub(in crate::engine::candle::upstream) fn refuse(
    configuration: &Configuration,
) -> std::result::Result<(), String> {
    let of_layers = configuration.get("layer_types").and_then(Value::as_array);
    if of_layers.is_some_and(|layers| layers.iter().any(|layer| layer != "attention")) {
        return Err("candle-transformers has no Mamba layers".to_owned());
    }
    if configuration.get("num_local_experts").and_then(Value::as_u64).unwrap_or(0) != 0 {
        return Err("candle-transformers leaves the experts out".to_owned());
    }
    configuration.refuse_other("position_embedding_type", "rope")?;
    if configuration.get("shared_intermediate_size").is_none() {
        return Err("it lacks `shared_intermediate_size`".to_owned());
    }
    refuse_shared(configuration)
}

/// What this family and the older Granite have in common.
pub(super) fn refuse_shared(configuration: &Configuration) -> std::result::Result<(), String> {
    configuration.refuse_set(&["attention_bias", "mlp_bias"])?;
    configuration.refuse_other("hidden_act", "silu")?;
    configuration.refuse_own_head_dim()?;
    if !configuration.is_set("tie_word_embeddings") {
        return Err("`tie_word_embeddings` is not true, and candle-transformers ties them always".to_owned());
    }
    parse(configuration, 1).map(drop)
}

pub(in crate::engine::candle::upstream) fn build(
    configuration: &Configuration,
    context: usize,
    weights: VarBuilder<'_>,
) -> Result<Box<dyn Forward>> {
    let config = parse(configuration, context).map_err(Error::Msg)?.into_config(false);
    let empty = GraniteMoeHybridCache::new(true, DType::F32, &config, &Device::Cpu)?;
    let model = GraniteMoeHybrid::load(weights, &config)?;
    Ok(Box::new(WithCache::new(model, empty, |model, tokens, position, cache| {
        model.forward(tokens, position, cache)
    })))
}

/// The library cuts its cache where it has more key/value heads (not tokens) than positions: a context is never so short.
fn parse(
    configuration: &Configuration,
    context: usize,
) -> std::result::Result<GraniteMoeHybridConfig, String> {
    let mut config: GraniteMoeHybridConfig = configuration.clone().or("rms_norm_eps", 1e-6).parse()?;
    config.max_position_embeddings = context.max(configuration.sizes.kv_heads());
    Ok(config)
}
