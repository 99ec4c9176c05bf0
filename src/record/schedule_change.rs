//! Whether a schedule is another one, or the same with more blocks.

use serde_json::Value;

/// How a schedule differs from the one that a store was made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ScheduleChange {
    /// Not at all, or only in what decides nothing.
    Same,
    /// The old blocks, and more after them.
    More {
        /// Blocks before, in the workload that has most.
        from_blocks: usize,
        /// Blocks now.
        to_blocks: usize,
    },
    /// The first of the old blocks.
    Fewer,
    /// In something that was to stay; these parts.
    Other(Vec<String>),
}

/// Keys whose lists or numbers grow when blocks are added.
const GROWING: [&str; 2] = ["order", "blocks"];

/// Parts that decide nothing: what an override changes stands in the plan's hash.
const IDLE: [&str; 1] = ["overrides"];

/// Block k depends on k alone, so more blocks leave the earlier ones as they are: the lists may grow at their end, and
/// the number of blocks with them; all else must stay.
pub(super) fn schedule_change(before: &Value, after: &Value) -> ScheduleChange {
    let other = parts_that(before, after, |old, new| !grows(old, new));
    let shrunk = parts_that(after, before, |old, new| !grows(old, new));
    let changed = parts_that(before, after, |old, new| old != new);
    if changed.is_empty() {
        ScheduleChange::Same
    } else if other.is_empty() {
        ScheduleChange::More { from_blocks: count(before), to_blocks: count(after) }
    } else if shrunk.is_empty() {
        ScheduleChange::Fewer
    } else {
        ScheduleChange::Other(other.into_iter().filter(|part| shrunk.contains(part)).collect())
    }
}

/// Names of the parts for which `differs` holds, with those that only one side has.
fn parts_that(before: &Value, after: &Value, differs: impl Fn(&Value, &Value) -> bool) -> Vec<String> {
    let (Value::Object(old), Value::Object(new)) = (before, after) else { return vec!["all".into()] };
    let one_sided = new.keys().filter(|key| !old.contains_key(*key));
    let differing = old.iter().filter(|(key, inner)| new.get(*key).is_none_or(|other| differs(inner, other)));
    let names = differing.map(|(key, _)| key).chain(one_sided);
    names.filter(|key| !IDLE.contains(&key.as_str())).cloned().collect()
}

fn grows(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            old.len() == new.len()
                && old.iter().all(|(key, inner)| {
                    let longer = |other| {
                        if GROWING.contains(&key.as_str()) {
                            is_start_of(inner, other)
                        } else {
                            grows(inner, other)
                        }
                    };
                    new.get(key).is_some_and(longer)
                })
        }
        (Value::Array(old), Value::Array(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(one, other)| grows(one, other))
        }
        (one, other) => one == other,
    }
}

fn is_start_of(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Array(old), Value::Array(new)) => new.starts_with(old),
        (Value::Number(old), Value::Number(new)) => old.as_u64() <= new.as_u64(),
        (old, new) => grows(old, new),
    }
}

/// Blocks of the workload that has most.
fn count(schedule: &Value) -> usize {
    let workloads = schedule["workloads"].as_array();
    let blocks = |workload: &Value| workload["order"].as_array().map_or(0, Vec::len);
    workloads.into_iter().flatten().map(blocks).max().unwrap_or(0)
}
