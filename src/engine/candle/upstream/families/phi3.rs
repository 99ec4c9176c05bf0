//! Phi-3 (Abdin et al. 2024), and Phi-4, which is of the same shape.

use crate::engine::candle::upstream::configuration::Configuration;
use crate::engine::candle::upstream::family::{Forward, keeps_its_cache};
use candle_core::{Error, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::phi3::{Config, Model};

pub(in crate::engine::candle::upstream) fn refuse(
    configuration: &Configuration,
) -> std::result::Result<(), String> {
    configuration.refuse_set(&["attention_bias", "mlp_bias"])?;
    configuration.refuse_other("hidden_act", "silu")?;
    configuration.refuse_own_head_dim()?;
    configuration.refuse_odd_rotation(configuration.partial_rotation())?;
    parse(configuration, 1).map(drop)
}

pub(in crate::engine::candle::upstream) fn build(
    configuration: &Configuration,
    context: usize,
    weights: VarBuilder<'_>,
) -> Result<Box<dyn Forward>> {
    let config = parse(configuration, context).map_err(Error::Msg)?;
    Ok(Box::new(Model::new(&config, weights)?))
}

/// Rotary tables are built for as many tokens as the context has.
fn parse(configuration: &Configuration, context: usize) -> std::result::Result<Config, String> {
    let mut config: Config = configuration.clone().with_kv_heads().or("rope_theta", 10_000.0).parse()?;
    config.max_position_embeddings = context;
    config.partial_rotary_factor = configuration.partial_rotation();
    Ok(config)
}

keeps_its_cache!(Model);
