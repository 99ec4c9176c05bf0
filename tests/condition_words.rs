//! The keys of settings and findings, and their three states in JSON.

use crate::condition_cases::complete;
use planrun::condition::{Condition, Field, Observed, Settings, Stated, Workload};
use serde_json::{Value, json};

/// Keys that are part of another field, or only told.
const NO_FIELD_OF_THEIR_OWN: &[(&str, &str)] = &[
    ("few_shot_tasks", "few_shot"),
    ("mode", "workload"),
    ("prompt_tokens", "workload"),
    ("gen_tokens", "workload"),
    ("quality", "workload"),
    ("timing", "workload"),
    ("program", "runtime"),
    ("api_key", "told"),
    ("name", "told"),
    ("tasks", "told"),
];

fn keys<T: schemars::JsonSchema>() -> Vec<String> {
    let schema = schemars::schema_for!(T);
    let properties = schema.get("properties").and_then(Value::as_object).unwrap();
    properties.keys().cloned().collect()
}

#[test]
fn every_key_of_a_condition_is_a_field_or_part_of_one() {
    let all = [keys::<Settings>(), keys::<Observed>(), keys::<Workload>()].concat();
    for key in &all {
        let listed = NO_FIELD_OF_THEIR_OWN.iter().any(|(name, _)| name == key);
        assert!(Field::named(key).is_some() != listed, "`{key}` is no field, or a field and listed as none");
    }
    for field in Field::ALL {
        let parts = NO_FIELD_OF_THEIR_OWN.iter().any(|(_, whole)| *whole == field.name());
        assert!(parts || all.iter().any(|key| key == field.name()), "no key carries `{field}`");
    }
}

#[test]
fn an_absent_key_is_unknown_and_null_is_unset() {
    let settings: Settings = serde_json::from_value(json!({"thinking": null, "seed": 3})).unwrap();
    assert_eq!(settings.thinking, Stated::Unset);
    assert_eq!(settings.seed, Stated::Set(3));
    assert_eq!(settings.top_k, Stated::Unknown);
    assert_eq!(serde_json::to_value(&settings).unwrap(), json!({"thinking": null, "seed": 3}));
}

#[test]
fn a_condition_survives_json_unchanged() {
    let text = serde_json::to_string(&complete()).unwrap();
    assert_eq!(serde_json::from_str::<Condition>(&text).unwrap(), complete());
}

#[test]
fn an_unknown_key_is_refused() {
    let error = serde_json::from_value::<Settings>(json!({"max_token": 3})).unwrap_err();
    assert!(error.to_string().contains("max_token"));
}

#[test]
fn a_field_carries_its_key_in_json() {
    for &field in Field::ALL {
        assert_eq!(serde_json::to_value(field).unwrap(), json!(field.name()));
    }
}
