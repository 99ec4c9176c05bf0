//! All records of a plan in one file of JSON lines, without loss: what many records share is written once.
//!
//! A line is a *part* or a *record*. `{"part": "<fingerprint>", "value": ...}` is a condition, the reply of an item (its
//! text, token ids and answer), or the frame of a measurement (all but the values). In a record, `condition` is the
//! fingerprint of its part, an item has `reply`, the fingerprint of its part, in place of the reply's keys, and
//! `measurement` has `frame`, the fingerprint of its part, and `values`. Parts come before their first use.

use super::RunRecord;
use super::error::StoreError;
use crate::fingerprint;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Keys of an item that make up its reply.
const REPLY: [&str; 3] = ["text", "ids", "answer"];

/// Hex digits that name a part: 64 bits, far beyond any chance of two parts meeting in one file.
const NAME: usize = 16;

/// Writes records as compact lines.
pub fn to_compact(records: &[RunRecord]) -> serde_json::Result<String> {
    let mut writer = Writer::default();
    for record in records {
        writer.add(record)?;
    }
    Ok(writer.text)
}

#[derive(Default)]
struct Writer {
    text: String,
    known: BTreeSet<String>,
}

impl Writer {
    fn add(&mut self, record: &RunRecord) -> serde_json::Result<()> {
        let mut value = serde_json::to_value(record)?;
        if let Some(condition) = value.get_mut("condition") {
            *condition = self.part(&condition.take())?;
        }
        if let Some(measurement) = value.get_mut("measurement") {
            let (frame, values) = taken_apart(measurement.take());
            *measurement = json!({ "frame": self.part(&frame)?, "values": values });
        }
        for key in ["warmup", "items"] {
            for item in value.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
                self.shorten(item)?;
            }
        }
        self.line(&value);
        Ok(())
    }

    fn shorten(&mut self, item: &mut Value) -> serde_json::Result<()> {
        let Some(fields) = item.as_object_mut() else { return Ok(()) };
        let mut reply = Map::new();
        for key in REPLY {
            if let Some(inner) = fields.shift_remove(key) {
                reply.insert(key.into(), inner);
            }
        }
        let name = self.part(&Value::Object(reply))?;
        fields.insert("reply".into(), name);
        Ok(())
    }

    fn part(&mut self, value: &Value) -> serde_json::Result<Value> {
        let mut name = fingerprint::of_json(value)?;
        name.truncate(NAME);
        if self.known.insert(name.clone()) {
            self.line(&json!({ "part": name, "value": value }));
        }
        Ok(Value::String(name))
    }

    fn line(&mut self, value: &Value) {
        self.text.push_str(&value.to_string());
        self.text.push('\n');
    }
}

/// Metrics without their values, and the values that there are.
fn taken_apart(mut metrics: Value) -> (Value, Map<String, Value>) {
    let mut values = Map::new();
    for (name, metric) in metrics.as_object_mut().into_iter().flatten() {
        let value = metric.as_object_mut().and_then(|metric| metric.shift_remove("value"));
        if let Some(value) = value.filter(|value| !value.is_null()) {
            values.insert(name.clone(), value);
        }
    }
    (metrics, values)
}

/// The inverse of [`taken_apart`].
fn put_together(mut metrics: Value, values: &Value) -> Value {
    for (name, metric) in metrics.as_object_mut().into_iter().flatten() {
        if let Some(metric) = metric.as_object_mut() {
            metric.insert("value".into(), values.get(name).cloned().unwrap_or_default());
        }
    }
    metrics
}

/// Reads records back from compact lines. Plain records, one a line, are read as well.
pub(super) fn read_compact(path: &Path) -> Result<Vec<RunRecord>, StoreError> {
    let text = fs::read_to_string(path).map_err(StoreError::io(path))?;
    let mut parts = BTreeMap::new();
    let mut records = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let damaged = |problem: String| StoreError::Damaged {
            path: format!("{}:{}", path.display(), index + 1),
            problem,
            remedy: "restore the file, or publish the plan's records again with `planrun run --publish`",
        };
        let value: Value = serde_json::from_str(line).map_err(|error| damaged(error.to_string()))?;
        if let (Some(Value::String(name)), Some(part)) = (value.get("part"), value.get("value")) {
            parts.insert(name.clone(), part.clone());
            continue;
        }
        let whole = restore(value, &parts).map_err(&damaged)?;
        records.push(serde_json::from_value(whole).map_err(|error| damaged(error.to_string()))?);
    }
    Ok(records)
}

fn restore(mut record: Value, parts: &BTreeMap<String, Value>) -> Result<Value, String> {
    let find = |name: &str| parts.get(name).ok_or_else(|| format!("part `{name}` is not in the file"));
    if let Some(condition) = record.get_mut("condition")
        && let Some(name) = condition.as_str()
    {
        *condition = find(name)?.clone();
    }
    if let Some(measurement) = record.get_mut("measurement")
        && let Some(name) = measurement.get("frame").and_then(Value::as_str)
    {
        *measurement = put_together(find(name)?.clone(), &measurement["values"]);
    }
    for key in ["warmup", "items"] {
        for item in record.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            let Some(fields) = item.as_object_mut() else { continue };
            let Some(Value::String(name)) = fields.shift_remove("reply") else { continue };
            if let Value::Object(reply) = find(&name)? {
                fields.extend(reply.clone());
            }
        }
    }
    Ok(record)
}
