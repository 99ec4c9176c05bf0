//! What `config.json` says of a model of these families.

use super::configuration::Configuration;
use super::family::{self, Family};
use serde_json::Value;

/// A model that candle-transformers computes.
#[derive(Debug)]
pub(in crate::engine::candle) struct Description {
    pub(super) family: &'static Family,
    pub(super) configuration: Configuration,
}

impl Description {
    /// Reads `config.json`; `None` if it is of no family of this room, an error if the model would be computed wrongly.
    pub(in crate::engine::candle) fn read(text: &str) -> Result<Option<Self>, String> {
        // A text that is no JSON is somebody else's to complain of.
        let Ok(value) = serde_json::from_str::<Value>(text) else { return Ok(None) };
        let name = value.get("model_type").and_then(Value::as_str);
        let Some(family) = name.and_then(family::named) else { return Ok(None) };
        let named = |problem| format!("family `{}`: {problem}", family.name);
        let configuration = Configuration::read(value).map_err(named)?;
        (family.refuse)(&configuration).map_err(named)?;
        Ok(Some(Self { family, configuration }))
    }
}

/// Why a folder with this `config.json` cannot be run, as far as this room can tell.
pub(in crate::engine) fn problem_of(config: &str) -> Option<String> {
    Description::read(config).err()
}
