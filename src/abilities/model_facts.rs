//! What can be told of a model by its files, without loading it.

use serde::Deserialize;
use std::path::Path;

/// Finds out what can be told of a model; the path is the plan's folder.
pub type LookUp<'a> = &'a dyn Fn(&str, &Path) -> ModelFacts;

/// A model as far as a plan can know it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelFacts {
    /// Formats of its matrices as stored, named as `quantization` names them; `None` where nothing is known.
    pub scheme: Option<String>,
    /// Lengths of the rows that a block scheme must divide; empty where nothing is known.
    pub row_lengths: Vec<u64>,
    /// Its family, where that is one of [`UPSTREAM_FAMILIES`](super::UPSTREAM_FAMILIES), whose models can do less.
    pub upstream_family: Option<&'static str>,
    /// Whether its template switches reasoning on and off; `None` where nothing is known.
    pub thinking_switch: Option<bool>,
    /// How its makers would sample, where they say so and do not decode greedily.
    pub recommended: Option<Recommended>,
    /// Changes with the model, cheap to find: configuration and sizes, not the weights themselves.
    pub fingerprint: Option<String>,
    /// Why nothing, or not all, could be told.
    pub problem: Option<String>,
}

/// Sampling that a model's makers recommend (`generation_config.json`); absent where they say nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
pub struct Recommended {
    /// False for greedy decoding.
    #[serde(default)]
    pub do_sample: bool,
    /// Temperature.
    pub temperature: Option<f64>,
    /// How many of the likeliest tokens are drawn from.
    pub top_k: Option<u32>,
    /// Share of the probability that is drawn from.
    pub top_p: Option<f64>,
}
