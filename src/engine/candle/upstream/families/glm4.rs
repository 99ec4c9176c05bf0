//! GLM-4-0414 (`model_type` `glm4`; the older `chatglm` layout is another model).

use crate::engine::candle::upstream::configuration::Configuration;
use crate::engine::candle::upstream::family::{Forward, keeps_its_cache};
use candle_core::{Error, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::glm4_new::{Config, ModelForCausalLM};

/// Share of a head that turns where a file does not say: the value of transformers' `Glm4Config`.
const ROTARY_SHARE: f64 = 0.5;

pub(in crate::engine::candle::upstream) fn refuse(
    configuration: &Configuration,
) -> std::result::Result<(), String> {
    configuration.refuse_other("hidden_act", "silu")?;
    configuration.refuse_odd_rotation(rotation(configuration))?;
    parse(configuration, 1).map(drop)
}

pub(in crate::engine::candle::upstream) fn build(
    configuration: &Configuration,
    context: usize,
    weights: VarBuilder<'_>,
) -> Result<Box<dyn Forward>> {
    let config = parse(configuration, context).map_err(Error::Msg)?;
    Ok(Box::new(ModelForCausalLM::new(&config, weights)?))
}

fn rotation(configuration: &Configuration) -> Option<f64> {
    match configuration.get("partial_rotary_factor") {
        Some(_) => configuration.partial_rotation(),
        None => Some(ROTARY_SHARE),
    }
}

fn parse(configuration: &Configuration, context: usize) -> std::result::Result<Config, String> {
    let other = configuration.clone().with_kv_heads().or("tie_word_embeddings", false);
    let mut config: Config = other.or("rope_theta", 10_000.0).or("hidden_act", "silu").parse()?;
    config.max_position_embeddings = context;
    config.partial_rotary_factor = rotation(configuration).map(|share| share as f32);
    Ok(config)
}

keeps_its_cache!(ModelForCausalLM);
