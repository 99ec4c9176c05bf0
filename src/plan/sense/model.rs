//! What can be told of a model without opening it.

use super::Surroundings;
use crate::abilities::{PICO, PICO_ROW_LENGTHS};
use crate::condition::Settings;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// A model as far as a plan can know it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct KnownModel {
    /// Lengths of the rows that a block scheme must divide; empty where nothing is known.
    pub(super) row_lengths: Vec<u64>,
    /// Whether its template has a thinking switch; `None` where nothing is known.
    pub(super) thinking_switch: Option<bool>,
    /// How its makers would sample, from `generation_config.json`.
    pub(super) recommended: Option<Recommended>,
}

/// Sampling that a model's makers recommend; absent where they say nothing.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub(super) struct Recommended {
    #[serde(default)]
    do_sample: bool,
    temperature: Option<f64>,
    top_k: Option<u32>,
    top_p: Option<f64>,
}

impl Recommended {
    /// The keys in which settings differ from what is recommended, with both values.
    pub(super) fn departures(&self, settings: &Settings) -> Vec<String> {
        let keys = [
            ("temperature", self.temperature, settings.temperature.get().copied()),
            ("top_k", self.top_k.map(f64::from), settings.top_k.get().copied().map(f64::from)),
            ("top_p", self.top_p, settings.top_p.get().copied()),
        ];
        let differing = keys.into_iter().filter(|(_, wanted, asked)| wanted.is_some() && wanted != asked);
        let in_words = |(key, wanted, asked): (&str, Option<f64>, Option<f64>)| {
            let asked = asked.map_or("unset".to_owned(), |asked| asked.to_string());
            format!("{key} {} (the plan: {asked})", wanted.unwrap_or_default())
        };
        differing.map(in_words).collect()
    }
}

impl KnownModel {
    /// Looks a model up: the embedded one by heart, a local folder by its `config.json` and its chat template.
    pub(super) fn of(model: &str, around: &Surroundings) -> Self {
        if model == PICO {
            return Self {
                row_lengths: PICO_ROW_LENGTHS.to_vec(),
                thinking_switch: Some(true),
                recommended: None,
            };
        }
        around.model_folder(model).map(|folder| Self::of_folder(&folder)).unwrap_or_default()
    }

    fn of_folder(folder: &Path) -> Self {
        let config = std::fs::read(folder.join("config.json")).ok();
        let config: Option<Value> = config.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self {
            row_lengths: config.as_ref().map(row_lengths).unwrap_or_default(),
            thinking_switch: switch(folder),
            recommended: recommended(folder),
        }
    }
}

/// Input widths of the matrices: the hidden state, the feed-forward layer, the heads together.
fn row_lengths(config: &Value) -> Vec<u64> {
    let number = |key: &str| config.get(key).and_then(Value::as_u64);
    let heads =
        number("num_attention_heads").zip(number("head_dim")).and_then(|(heads, dim)| heads.checked_mul(dim));
    let mut lengths: Vec<u64> =
        [number("hidden_size"), number("intermediate_size"), heads].into_iter().flatten().collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Nothing where the makers decode greedily.
fn recommended(folder: &Path) -> Option<Recommended> {
    let text = std::fs::read(folder.join("generation_config.json")).ok()?;
    serde_json::from_slice(&text).ok().filter(|found: &Recommended| found.do_sample)
}

/// True if the chat template mentions the argument `enable_thinking`, false if it mentions no switch at all; which of the
/// others acts is found when the template is rendered.
fn switch(folder: &Path) -> Option<bool> {
    let texts = ["chat_template.jinja", "tokenizer_config.json"]
        .map(|name| std::fs::read_to_string(folder.join(name)));
    let text: String = texts.into_iter().flatten().collect();
    let mentions = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match text.as_str() {
        "" => None,
        _ if mentions(&["enable_thinking"]) => Some(true),
        _ if mentions(&["thinking", "/no_think", "reasoning_effort"]) => None,
        _ => Some(false),
    }
}
