//! LFM2 (Liquid AI 2025): short convolutions, with attention in some layers.

use crate::engine::candle::upstream::configuration::Configuration;
use crate::engine::candle::upstream::family::{Forward, WithCache};
use candle_core::{DType, Device, Error, Result};
use candle_nn::VarBuilder;
use candle_transformers::models::lfm2::{Cache, Config, Lfm2Config, Model};
use serde_json::Value;

pub(in crate::engine::candle::upstream) fn refuse(
    configuration: &Configuration,
) -> std::result::Result<(), String> {
    configuration.refuse_set(&["conv_bias"])?;
    configuration.refuse_own_head_dim()?;
    let config = parse(configuration, 1)?;
    let (layers, kinds) = (config.num_hidden_layers, config.layer_types.len());
    if layers != kinds {
        return Err(format!("`layer_types` tells {kinds} layers of {layers}"));
    }
    match config.conv_l_cache {
        0 => Err("`conv_L_cache` is 0, which no model has".to_owned()),
        _ => Ok(()),
    }
}

pub(in crate::engine::candle::upstream) fn build(
    configuration: &Configuration,
    context: usize,
    weights: VarBuilder<'_>,
) -> Result<Box<dyn Forward>> {
    let config = parse(configuration, context).map_err(Error::Msg)?;
    let empty = Cache::new(true, DType::F32, &config, &Device::Cpu)?;
    let model = Model::new(&config, weights)?;
    Ok(Box::new(WithCache::new(model, empty, |model, tokens, position, cache| {
        model.forward(tokens, position, cache)
    })))
}

/// The library takes the embeddings for untied where a file says nothing, knows no list of the attention layers' numbers,
/// and takes the feed-forward part for four times the hidden state.
fn parse(configuration: &Configuration, context: usize) -> std::result::Result<Config, String> {
    let own = configuration.get("tie_embedding").or_else(|| configuration.get("tie_word_embeddings"));
    let tied = own.is_none_or(|tied| tied.as_bool() == Some(true));
    let kinds =
        configuration.get("layer_types").cloned().map_or_else(|| kinds_of_layers(configuration), Ok)?;
    let changed = configuration.clone().with("tie_embedding", tied).with("layer_types", kinds);
    let changed = changed.with("block_ffn_dim_multiplier", 1.0).with("block_multiple_of", 1);
    let mut config = changed.parse::<Lfm2Config>()?.into_config(false);
    config.intermediate_size = inner(configuration)?;
    config.max_position_embeddings = context;
    Ok(config)
}

/// Older files list the layers that attend.
fn kinds_of_layers(configuration: &Configuration) -> std::result::Result<Value, String> {
    let listed = configuration.get("full_attn_idxs").and_then(Value::as_array);
    let listed = listed.ok_or("it lacks `layer_types` and `full_attn_idxs`")?;
    let attends = |layer| listed.iter().any(|number| number.as_u64() == Some(layer));
    let kind = |layer| if attends(layer) { "full_attention" } else { "conv" };
    Ok((0..configuration.sizes.layers as u64).map(kind).collect())
}

/// Width of the feed-forward part, as transformers' `Lfm2MLP` works it out.
fn inner(configuration: &Configuration) -> std::result::Result<usize, String> {
    let number = |key: &str| configuration.get(key).and_then(Value::as_f64);
    let given = number("block_ff_dim").or_else(|| number("intermediate_size"));
    let given = given.ok_or("it lacks `intermediate_size`")?;
    let adjusted = configuration.get("block_auto_adjust_ff_dim").is_none_or(|on| on.as_bool() == Some(true));
    if !adjusted {
        return Ok(given as usize);
    }
    let width = (number("block_ffn_dim_multiplier").unwrap_or(1.0) * (2.0 * given / 3.0).floor()) as usize;
    let multiple = number("block_multiple_of").unwrap_or(256.0).max(1.0) as usize;
    width.checked_next_multiple_of(multiple).ok_or_else(|| "the feed-forward part is too wide".to_owned())
}
