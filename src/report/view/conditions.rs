//! What was asked and what was found: common values once, then what differs per cell.

use super::table::Table;
use crate::compare::{Analysis, Shown};
use crate::condition::{Field, Origin};
use crate::fingerprint;
use serde_json::Value;

/// The value that all cells share, as recorded.
pub(super) fn raw_common(analysis: &Analysis, field: Field) -> Option<String> {
    shared(analysis, field).map(|shown| shown.value.clone()).filter(|value| value != "unknown")
}

/// The value that all cells share, in words; `None` where they differ or nobody knows it.
pub(super) fn common(analysis: &Analysis, field: Field) -> Option<String> {
    let shown = shared(analysis, field)?;
    Some(readable(&shown.value)).filter(|value| value != "unknown")
}

fn shared(analysis: &Analysis, field: Field) -> Option<&Shown> {
    let mut values = analysis.cells.iter().map(|cell| value_of(&cell.condition, field));
    let first = values.next()??;
    values.all(|other| other.is_some_and(|other| other.value == first.value)).then_some(first)
}

fn value_of(condition: &[Shown], field: Field) -> Option<&Shown> {
    condition.iter().find(|shown| shown.field == field)
}

/// The table of common values.
pub(super) fn common_table(analysis: &Analysis) -> Table {
    let shared = |field: &Field| shared(analysis, *field).map(|shown| (*field, shown));
    let (unset, set): (Vec<_>, Vec<_>) =
        Field::ALL.iter().filter_map(shared).partition(|(_, shown)| shown.value == "unset");
    let unset: Vec<_> = unset.iter().map(|(field, _)| field.name()).collect();
    let unset = (!unset.is_empty()).then(|| vec!["left unset".into(), unset.join(", "), "asked".into()]);
    let rows = set
        .iter()
        .map(|(field, shown)| vec![field.name().into(), readable(&shown.value), origin(shown.origin).into()]);
    Table::new("The same for all cells", &["Field", "Value", "From"], rows.chain(unset))
}

/// The table of what differs: one row a cell, one column a field.
pub(super) fn differing_table(analysis: &Analysis) -> Table {
    let fields: Vec<Field> = Field::ALL
        .iter()
        .copied()
        .filter(|field| shared(analysis, *field).is_none())
        .filter(|field| analysis.cells.iter().any(|cell| value_of(&cell.condition, *field).is_some()))
        .collect();
    let head: Vec<&str> = std::iter::once("Cell").chain(fields.iter().map(|field| field.name())).collect();
    let rows = analysis.cells.iter().map(|cell| {
        let value = |field: &Field| {
            value_of(&cell.condition, *field)
                .map_or_else(|| "no finished run".into(), |shown| readable(&shown.value))
        };
        std::iter::once(super::summary::label(analysis, cell.index).to_string())
            .chain(fields.iter().map(value))
            .collect()
    });
    Table::new("What differs between cells", &head, rows)
}

pub(super) fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Read => "read",
        Origin::Asked => "asked",
    }
}

/// A recorded value for people: fingerprints short, JSON objects as `key: value` without what is absent.
pub(super) fn readable(value: &str) -> String {
    if value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return fingerprint::short(value).into();
    }
    if let Some(number) = long_decimal(value) {
        return number;
    }
    match serde_json::from_str::<Value>(value) {
        Ok(parsed @ (Value::Object(_) | Value::Array(_))) => flattened(&parsed),
        _ => value.into(),
    }
}

/// A computed number with more decimals than anyone set: two are enough to read.
fn long_decimal(value: &str) -> Option<String> {
    let (_, decimals) = value.split_once('.')?;
    let number: f64 = value.parse().ok().filter(|_| decimals.len() > 4)?;
    Some(format!("{number:.2}"))
}

fn flattened(value: &Value) -> String {
    match value {
        Value::Object(map) => map
            .iter()
            .filter(|(_, inner)| !is_empty(inner))
            .map(|(key, inner)| format!("{} {}", key.replace('_', " "), flattened(inner)))
            .collect::<Vec<_>>()
            .join(", "),
        Value::Array(list) => list.iter().map(flattened).collect::<Vec<_>>().join(" "),
        Value::String(text) => readable(text),
        other => other.to_string(),
    }
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}
