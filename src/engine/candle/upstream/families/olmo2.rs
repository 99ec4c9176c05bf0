//! `OLMo` 2 (Walsh et al. 2024): norms after attention and feed-forward part, queries and keys normed as a whole.

use crate::engine::candle::upstream::configuration::Configuration;
use crate::engine::candle::upstream::family::{Forward, keeps_its_cache};
use candle_core::{Error, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::olmo2::{Config, Model};

pub(in crate::engine::candle::upstream) fn refuse(
    configuration: &Configuration,
) -> std::result::Result<(), String> {
    configuration.refuse_set(&["clip_qkv"])?;
    configuration.refuse_other("hidden_act", "silu")?;
    configuration.refuse_own_head_dim()?;
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

fn parse(configuration: &Configuration, context: usize) -> std::result::Result<Config, String> {
    let configuration =
        configuration.clone().with_kv_heads().or("attention_bias", false).or("tie_word_embeddings", false);
    let mut config: Config = configuration.or("rope_theta", 10_000.0).or("hidden_act", "silu").parse()?;
    config.max_position_embeddings = context;
    Ok(config)
}

keeps_its_cache!(Model);
