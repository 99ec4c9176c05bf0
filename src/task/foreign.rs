//! Task files of other harnesses: which of their keys stands for which of ours.

use super::read::Fault;
use serde_json::{Map, Value};

/// The keys of a task, for messages.
pub(super) const KEYS: &str = "`prompt` or `messages`, `expected`, `choices`, `group` and `id`";

const OWN: &[&str] = &["id", "prompt", "messages", "expected", "choices", "group"];

/// What the common data sets call it, and what it is called here.
const MAPPING: &[(&str, &str)] = &[
    ("question", "prompt"),
    ("input", "prompt"),
    ("problem", "prompt"),
    ("instruction", "prompt"),
    ("query", "prompt"),
    ("turns", "prompt"),
    ("answer", "expected"),
    ("target", "expected"),
    ("label", "expected"),
    ("gold", "expected"),
    ("ideal", "expected"),
    ("reference", "expected"),
    ("solution", "expected"),
    ("output", "expected"),
    ("answers", "expected"),
    ("options", "choices"),
    ("endings", "choices"),
    ("category", "group"),
    ("subject", "group"),
    ("question_id", "id"),
    ("task_id", "id"),
    ("conversation", "messages"),
    ("conversations", "messages"),
];

/// What is wrong with an object that has foreign keys, and the nearest mapping; `None` when all its keys are known.
pub(super) fn fault(object: &Map<String, Value>) -> Option<Fault> {
    let unknown: Vec<&str> = object.keys().map(String::as_str).filter(|key| !OWN.contains(key)).collect();
    if unknown.is_empty() {
        return None;
    }
    let problem =
        format!("unknown {} {}; the keys of a task are {KEYS}", noun(unknown.len()), quoted(&unknown));
    let renames = renames(object);
    let remedy = if renames.is_empty() { spelling(&unknown) } else { command(object, &renames) };
    Some((problem, remedy))
}

/// For each of our keys the foreign one that carries it: the first of the table that is there and not null.
fn renames(object: &Map<String, Value>) -> Vec<(&'static str, &'static str)> {
    let there = |key: &str| object.get(key).is_some_and(|value| !value.is_null());
    let carried = |own: &&str| !there(own);
    OWN.iter()
        .filter(|own| carried(own))
        .filter_map(|own| MAPPING.iter().find(|(foreign, ours)| ours == own && there(foreign)))
        .copied()
        .collect()
}

/// A `jq` command that maps the file.
fn command(object: &Map<String, Value>, renames: &[(&str, &str)]) -> String {
    let kept = OWN.iter().filter(|own| object.contains_key(**own)).map(|own| format!("{own}: .{own}"));
    let mapped = renames.iter().map(|(foreign, own)| format!("{own}: {}", path(object, foreign)));
    let fields: Vec<String> = kept.chain(mapped).collect();
    let told: Vec<String> = renames.iter().map(|&(foreign, own)| renamed(foreign, own)).collect();
    format!("{}: `jq -c '{{{}}}' OLD > NEW`", told.join(", "), fields.join(", "))
}

fn renamed(foreign: &str, own: &str) -> String {
    let part = if foreign == "turns" { " (its first turn only)" } else { "" };
    format!("`{foreign}` is `{own}` here{part}")
}

/// Where the value stands: GSM8K keeps the final answer behind `####`, MT-bench the first turn in a list.
fn path(object: &Map<String, Value>, foreign: &str) -> String {
    match object.get(foreign) {
        Some(Value::String(text)) if text.contains("#### ") => format!("(.{foreign} | split(\"#### \")[1])"),
        Some(Value::Array(_)) if foreign == "turns" => ".turns[0]".into(),
        Some(Value::Number(_)) => format!("(.{foreign} | tostring)"),
        _ => format!(".{foreign}"),
    }
}

/// The nearest known key for a misspelt one.
fn spelling(unknown: &[&str]) -> String {
    let distance = |key: &str, own: &str| strsim::damerau_levenshtein(&key.to_lowercase(), own);
    let near = unknown.iter().flat_map(|key| OWN.iter().map(move |own| (distance(key, own), *key, *own)));
    match near.min() {
        Some((0..=2, key, own)) => format!("did you mean `{own}` for `{key}`?"),
        _ => "take them out, or map them with `jq`".into(),
    }
}

fn noun(count: usize) -> &'static str {
    if count == 1 { "key" } else { "keys" }
}

fn quoted(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
}
