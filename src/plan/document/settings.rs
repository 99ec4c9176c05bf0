//! `[settings]` and everything else that states settings: a table whose keys are those of [`Settings`].

use super::schema::stated_properties;
use crate::condition::{Field, Settings};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::OnceLock;

/// Stated settings, still as written: a key that is absent is not stated. `deployment` is a name here.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SettingsTable(pub Map<String, Value>);

impl JsonSchema for SettingsTable {
    fn schema_name() -> Cow<'static, str> {
        "Settings".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "Settings. Keys that are left out are left to the engine.",
            "properties": stated_properties(generator),
            "additionalProperties": false,
        })
    }
}

/// The keys of [`Settings`], in its order.
pub fn settings_keys() -> &'static [String] {
    static KEYS: OnceLock<Vec<String>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let schema = SchemaGenerator::default().into_root_schema_for::<Settings>();
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.map(|map| map.keys().cloned().collect()).unwrap_or_default()
    })
}

/// The field that a key of [`Settings`] controls. The file of few-shot examples belongs to `few_shot`.
pub fn field_of_key(key: &str) -> Option<Field> {
    match key {
        "few_shot_tasks" => Some(Field::FewShot),
        _ => Field::named(key).filter(|_| settings_keys().iter().any(|known| known == key)),
    }
}
