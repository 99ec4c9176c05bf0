//! `[grid]`: factors, their levels, and the combinations left out.

use super::schema::{levels_by_factor_or_list, stated_properties};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Key of a named level's name.
pub const NAME_KEY: &str = "name";

/// Factors with their levels, in the plan's order, and the combinations that are left out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GridTable {
    /// Combinations left out: each table names levels, and a cell that has all of them is not run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<Map<String, Value>>,
    /// Levels of each factor: plain values of a key of `[settings]`, or tables with a `name`.
    #[serde(flatten)]
    pub factors: Map<String, Value>,
}

impl JsonSchema for GridTable {
    fn schema_name() -> Cow<'static, str> {
        "Grid".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let named = generator.subschema_for::<NamedLevel>();
        let mut properties = Map::new();
        for (key, value) in stated_properties(generator) {
            let description = value.get("description").cloned().unwrap_or_default();
            let items = json!({ "anyOf": [value, named] });
            let levels =
                json!({ "description": description, "type": "array", "items": items, "minItems": 1 });
            properties.insert(key, levels);
        }
        let excluded = json!({
            "description": "Combinations left out. A level, or a list of levels, for each factor named.",
            "type": "array",
            "items": levels_by_factor_or_list(generator),
        });
        properties.insert("exclude".into(), excluded);
        json_schema!({
            "type": "object",
            "description": "Factors and their levels. Every combination of levels is a cell.",
            "properties": properties,
            "additionalProperties": {
                "description": "A factor with a name of its own; its levels are tables with a name.",
                "type": "array",
                "items": named,
                "minItems": 1,
            },
        })
    }
}

/// A level with a name: it sets one cause and what that cause implies.
struct NamedLevel;

impl JsonSchema for NamedLevel {
    fn schema_name() -> Cow<'static, str> {
        "NamedLevel".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = stated_properties(generator);
        let name = json!({ "description": "How tables and plots call this level.", "type": "string", "minLength": 1 });
        properties.insert(NAME_KEY.into(), name);
        json_schema!({
            "type": "object",
            "description": "A level with a name. It sets one cause and what that cause implies.",
            "properties": properties,
            "required": [NAME_KEY],
            "additionalProperties": false,
        })
    }
}
