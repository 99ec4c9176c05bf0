//! The JSON schema (draft-07) of a plan, from the types.

use super::Plan;
use crate::condition::Settings;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

/// The schema that `schemas/plan.schema.json` holds and that every plan is checked against.
pub fn plan_schema() -> Value {
    let schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<Plan>();
    let mut value = schema.to_value();
    without_null(&mut value);
    value
}

/// The properties of [`Settings`] as a plan states them: a deployment goes by its name.
pub(super) fn stated_properties(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let schema = Settings::json_schema(generator).to_value();
    let mut properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    for value in properties.values_mut() {
        if let Some(property) = value.as_object_mut() {
            property.remove("default");
        }
    }
    let deployment = json!({ "description": "Name of a bundle in `[deployments.NAME]`.", "type": "string" });
    properties.insert("deployment".into(), deployment);
    properties
}

/// A level (a plain value, or the name of a named level) for each factor.
pub(super) fn levels_by_factor(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "additionalProperties": { "type": ["string", "number", "boolean"] },
    })
}

/// A level or a list of levels for each factor.
pub(super) fn levels_by_factor_or_list(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {
            "anyOf": [
                { "type": ["string", "number", "boolean"] },
                { "type": "array", "items": { "type": ["string", "number", "boolean"] }, "minItems": 1 },
            ],
        },
    })
}

/// Margins by metric.
pub(super) fn margins(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "additionalProperties": { "type": "number", "exclusiveMinimum": 0.0, "maximum": 1.0 },
    })
}

/// TOML has no null, and its integers are wider than the plan's: takes the one out of the schema and bounds the others.
fn without_null(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(without_null),
        Value::Object(map) => {
            drop_null_type(map);
            drop_null_branch(map);
            bound_integers(map);
            map.values_mut().for_each(without_null);
        }
        _ => {}
    }
}

fn drop_null_type(map: &mut Map<String, Value>) {
    if map.get("default") == Some(&Value::Null) {
        map.remove("default");
    }
    let Some(Value::Array(kinds)) = map.get_mut("type") else { return };
    kinds.retain(|kind| kind != "null");
    if let [only] = kinds.as_slice() {
        let only = only.clone();
        map.insert("type".into(), only);
    }
}

fn drop_null_branch(map: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = map.get_mut("anyOf") else { return };
    branches.retain(|branch| branch.get("type") != Some(&json!("null")));
    if let [only] = branches.as_slice() {
        let only = only.clone();
        map.remove("anyOf");
        map.insert("allOf".into(), json!([only]));
    }
}

fn bound_integers(map: &mut Map<String, Value>) {
    if map.get("format") == Some(&json!("uint32")) && !map.contains_key("maximum") {
        map.insert("maximum".into(), json!(u32::MAX));
    }
}
