//! Gemma 2 (Gemma Team 2024): norms before and after, soft-capped attention and logits.

use crate::engine::candle::upstream::configuration::Configuration;
use crate::engine::candle::upstream::family::{Forward, keeps_its_cache};
use candle_core::{Error, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::gemma2::{Config, Model};

pub(in crate::engine::candle::upstream) fn refuse(
    configuration: &Configuration,
) -> std::result::Result<(), String> {
    configuration.refuse_other("hidden_activation", "gelu_pytorch_tanh")?;
    let head_dim = configuration.sizes.head_dim();
    let scalar = configuration.get("query_pre_attn_scalar").cloned().unwrap_or_else(|| 256.into());
    if scalar.as_u64() != Some(head_dim as u64) {
        return Err(format!(
            "`query_pre_attn_scalar` is {scalar}, and candle-transformers scales by the head's {head_dim} values"
        ));
    }
    if configuration.get("tie_word_embeddings").is_some() && !configuration.is_set("tie_word_embeddings") {
        return Err("`tie_word_embeddings` is false, and candle-transformers ties them always".to_owned());
    }
    if configuration.sizes.window.is_none() {
        return Err("it lacks `sliding_window`".to_owned());
    }
    parse(configuration, 1).map(drop)
}

pub(in crate::engine::candle::upstream) fn build(
    configuration: &Configuration,
    context: usize,
    weights: VarBuilder<'_>,
) -> Result<Box<dyn Forward>> {
    let config = parse(configuration, context).map_err(Error::Msg)?;
    Ok(Box::new(Model::new(false, &config, weights)?))
}

/// What a file leaves out has the values of transformers' `Gemma2Config`. The window is left out: the context ends with it.
fn parse(configuration: &Configuration, context: usize) -> std::result::Result<Config, String> {
    let sizes = &configuration.sizes;
    let configuration =
        configuration.clone().with_kv_heads().with("head_dim", sizes.head_dim()).or("attention_bias", false);
    let configuration = configuration.or("query_pre_attn_scalar", sizes.head_dim());
    let configuration = configuration.or("rope_theta", 10_000.0).or("rms_norm_eps", 1e-6);
    let configuration = configuration.or("hidden_activation", "gelu_pytorch_tanh");
    let configuration = configuration.or("attn_logit_softcapping", 50.0).or("final_logit_softcapping", 30.0);
    let mut config: Config = configuration.parse()?;
    config.max_position_embeddings = context;
    config.sliding_window = None;
    Ok(config)
}

keeps_its_cache!(Model);
