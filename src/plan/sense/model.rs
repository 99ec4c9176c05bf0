//! What can be told of a model without opening it.

use super::Surroundings;
use crate::abilities::{PICO, PICO_ROW_LENGTHS};
use serde_json::Value;
use std::path::Path;

/// A model as far as a plan can know it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct KnownModel {
    /// Lengths of the rows that a block scheme must divide; empty where nothing is known.
    pub(super) row_lengths: Vec<u64>,
    /// Whether its template has a thinking switch; `None` where nothing is known.
    pub(super) thinking_switch: Option<bool>,
}

impl KnownModel {
    /// Looks a model up: the embedded one by heart, a local folder by its `config.json` and its chat template.
    pub(super) fn of(model: &str, around: &Surroundings) -> Self {
        if model == PICO {
            return Self { row_lengths: PICO_ROW_LENGTHS.to_vec(), thinking_switch: Some(true) };
        }
        around.model_folder(model).map(|folder| Self::of_folder(&folder)).unwrap_or_default()
    }

    fn of_folder(folder: &Path) -> Self {
        let config = std::fs::read(folder.join("config.json")).ok();
        let config: Option<Value> = config.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self {
            row_lengths: config.as_ref().map(row_lengths).unwrap_or_default(),
            thinking_switch: switch(folder),
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

/// True if the chat template mentions the switch.
fn switch(folder: &Path) -> Option<bool> {
    let texts = ["chat_template.jinja", "tokenizer_config.json"]
        .map(|name| std::fs::read_to_string(folder.join(name)));
    let mut texts = texts.into_iter().flatten().peekable();
    texts.peek()?;
    Some(texts.any(|text| text.contains("enable_thinking")))
}
