//! What differs between two task sets, for refusals.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A task as far as a difference needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskKey {
    /// Its id.
    pub id: String,
    /// Fingerprint of its content, or of its rendered prompt.
    pub content: String,
}

/// Ids of the tasks that differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskSetDiff {
    /// Only in the second set.
    pub added: Vec<String>,
    /// Only in the first set.
    pub removed: Vec<String>,
    /// In both under one id, with another content.
    pub changed: Vec<String>,
    /// What both hold stands in another order.
    pub reordered: bool,
}

/// Lays two sets side by side. Equal content is the same task, whatever its id (ids may be line numbers, which shift); of
/// the others, an equal id is a changed task.
pub fn diff(before: &[TaskKey], after: &[TaskKey]) -> TaskSetDiff {
    let pairs = pair_by_content(before, after);
    let first: BTreeSet<usize> = pairs.iter().map(|pair| pair.0).collect();
    let second: BTreeSet<usize> = pairs.iter().map(|pair| pair.1).collect();
    let gone = without(before, &first);
    let new = without(after, &second);
    TaskSetDiff {
        added: ids(&new, |id| !gone.contains(&id)),
        removed: ids(&gone, |id| !new.contains(&id)),
        changed: ids(&gone, |id| new.contains(&id)),
        reordered: pairs.windows(2).any(|two| two[0].1 > two[1].1),
    }
}

/// Indices of equal content, in the order of the first set; a content that occurs twice is paired twice.
fn pair_by_content(before: &[TaskKey], after: &[TaskKey]) -> Vec<(usize, usize)> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, key) in after.iter().enumerate().rev() {
        places.entry(&key.content).or_default().push(index);
    }
    let mut take = |content: &str| places.get_mut(content).and_then(Vec::pop);
    before.iter().enumerate().filter_map(|(index, key)| Some((index, take(&key.content)?))).collect()
}

/// Ids of the tasks that were not paired, in the order of their set.
fn without<'a>(keys: &'a [TaskKey], paired: &BTreeSet<usize>) -> Vec<&'a str> {
    let left = keys.iter().enumerate().filter(|(index, _)| !paired.contains(index));
    left.map(|(_, key)| key.id.as_str()).collect()
}

fn ids(from: &[&str], keep: impl Fn(&str) -> bool) -> Vec<String> {
    from.iter().filter(|id| keep(id)).map(|&id| id.to_owned()).collect()
}

impl TaskSetDiff {
    /// True if nothing differs.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for TaskSetDiff {
    /// `2 tasks added (9, 10); 1 task changed (4); order differs`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = [("added", &self.added), ("removed", &self.removed), ("changed", &self.changed)];
        let mut parts: Vec<String> =
            lists.iter().filter(|(_, ids)| !ids.is_empty()).map(|(what, ids)| told(what, ids)).collect();
        if self.reordered {
            parts.push("order differs".into());
        }
        f.write_str(&parts.join("; "))
    }
}

fn told(what: &str, ids: &[String]) -> String {
    const SHOWN: usize = 5;
    let noun = if ids.len() == 1 { "task" } else { "tasks" };
    let more = if ids.len() > SHOWN { ", ..." } else { "" };
    format!("{} {noun} {what} ({}{more})", ids.len(), ids[..ids.len().min(SHOWN)].join(", "))
}
