//! Whether a schedule is another one, or the same with more blocks.

use serde_json::Value;

/// How a schedule differs from the one that a store was made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScheduleChange {
    /// Not at all.
    Same,
    /// The old blocks, and more after them.
    More {
        /// Blocks before, over all workloads.
        from_blocks: usize,
        /// Blocks now.
        to_blocks: usize,
    },
    /// The first of the old blocks.
    Fewer,
    /// In something else.
    Other,
}

/// Block k depends on k alone, so more blocks leave the earlier ones as they are: every list under a key `blocks` may
/// grow at its end, and the number of blocks with it; all else must stay.
pub(super) fn schedule_change(before: &Value, after: &Value) -> ScheduleChange {
    let (from_blocks, to_blocks) = (count(before), count(after));
    if before == after {
        ScheduleChange::Same
    } else if grows(before, after) {
        ScheduleChange::More { from_blocks, to_blocks }
    } else if grows(after, before) {
        ScheduleChange::Fewer
    } else {
        ScheduleChange::Other
    }
}

fn grows(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            old.len() == new.len()
                && old.iter().all(|(key, inner)| {
                    new.get(key).is_some_and(|other| {
                        if key == "blocks" { is_start_of(inner, other) } else { grows(inner, other) }
                    })
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
        (old, new) => old == new,
    }
}

fn count(schedule: &Value) -> usize {
    match schedule {
        Value::Object(map) => map
            .iter()
            .map(|(key, inner)| match inner {
                Value::Array(list) if key == "blocks" => list.len(),
                other => count(other),
            })
            .max()
            .unwrap_or(0),
        Value::Array(list) => list.iter().map(count).max().unwrap_or(0),
        _ => 0,
    }
}
