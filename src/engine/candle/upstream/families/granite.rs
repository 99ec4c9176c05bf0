//! Granite 3 (dense). The library's own model of that name leaves out the four multipliers of the family, which its model of
//! Granite 4 computes; that one keeps gate and up rows in one matrix under another name.

use super::granite_hybrid;
use crate::engine::candle::upstream::configuration::Configuration;
use crate::engine::candle::upstream::family::Forward;
use candle_core::{Error, Result};
use candle_nn::VarBuilder;

pub(in crate::engine::candle::upstream) fn refuse(
    configuration: &Configuration,
) -> std::result::Result<(), String> {
    granite_hybrid::refuse_shared(&as_hybrid(configuration)?)
}

pub(in crate::engine::candle::upstream) fn build(
    configuration: &Configuration,
    context: usize,
    weights: VarBuilder<'_>,
) -> Result<Box<dyn Forward>> {
    granite_hybrid::build(&as_hybrid(configuration).map_err(Error::Msg)?, context, weights)
}

fn as_hybrid(configuration: &Configuration) -> std::result::Result<Configuration, String> {
    let inner = configuration.get("intermediate_size").cloned().ok_or("it lacks `intermediate_size`")?;
    Ok(configuration.clone().with("shared_intermediate_size", inner))
}

/// Where the rows of the feed-forward matrices stand in the files.
pub(in crate::engine::candle::upstream) fn stored_as(name: &str) -> Option<Vec<String>> {
    let (layer, matrix) = name.split_once(".shared_mlp.")?;
    let parts: &[&str] = match matrix {
        "input_linear.weight" => &["gate_proj", "up_proj"],
        _ => &["down_proj"],
    };
    Some(parts.iter().map(|part| format!("{layer}.mlp.{part}.weight")).collect())
}
