//! What changed between two task sets or two sets of rendered prompts, told from the records' items.

use super::identity::first_pass;
use super::refusal::{RenderChange, TaskChange, TaskChanges};
use crate::condition::{Cause, Field, implied_by};
use crate::record::{Item, RunRecord};
use std::collections::BTreeMap;

/// The tasks that were added, removed or changed, when the task set varies.
pub(super) fn task_changes(before: &RunRecord, after: &RunRecord, causes: &[Cause]) -> Option<TaskChanges> {
    if !causes.iter().any(|cause| cause.difference.field == Field::TaskSetFingerprint) {
        return None;
    }
    let (old, new) = (first_pass(before), first_pass(after));
    let mut changes = TaskChanges {
        added: only_in(&new, &old),
        removed: only_in(&old, &new),
        changed: if prompts_tell(causes) { rewritten(&old, &new) } else { Vec::new() },
        ..TaskChanges::default()
    };
    let same_name = before.condition.workload.tasks == after.condition.workload.tasks;
    changes.summary = summary(&changes, same_name);
    Some(changes)
}

/// The first prompt that differs although the task is on both sides.
pub(super) fn render_change(before: &RunRecord, after: &RunRecord, causes: &[Cause]) -> Option<RenderChange> {
    let differs = |cause: &Cause| {
        let fields = cause.implied.iter().map(|implied| implied.field).chain([cause.difference.field]);
        fields.into_iter().any(|field| field == Field::PromptFingerprint)
    };
    if !causes.iter().any(differs) {
        return None;
    }
    let new = first_pass(after);
    let changed = |item: &&Item| new.get(item.id.as_str()).is_some_and(|other| other.prompt != item.prompt);
    let first = before.items.iter().find(changed)?;
    Some(RenderChange {
        id: first.id.clone(),
        before: first.prompt.clone(),
        after: new.get(first.id.as_str())?.prompt.clone(),
    })
}

/// Another prompt of the same task says something about the task only if nothing else changes the rendering.
fn prompts_tell(causes: &[Cause]) -> bool {
    causes
        .iter()
        .map(|cause| cause.difference.field)
        .filter(|&field| field != Field::TaskSetFingerprint)
        .all(|field| !implied_by(field).contains(&Field::PromptFingerprint))
}

fn only_in(here: &BTreeMap<&str, &Item>, there: &BTreeMap<&str, &Item>) -> Vec<TaskChange> {
    here.values().filter(|item| !there.contains_key(item.id.as_str())).map(|item| change(item)).collect()
}

fn rewritten(old: &BTreeMap<&str, &Item>, new: &BTreeMap<&str, &Item>) -> Vec<TaskChange> {
    let differs = |item: &&&Item| old.get(item.id.as_str()).is_some_and(|other| other.prompt != item.prompt);
    new.values().filter(differs).map(|item| change(item)).collect()
}

fn change(item: &Item) -> TaskChange {
    TaskChange { id: item.id.clone(), prompt: item.prompt.clone(), text: None }
}

fn summary(changes: &TaskChanges, same_name: bool) -> String {
    let parts: Vec<String> =
        [(&changes.added, "added"), (&changes.removed, "removed"), (&changes.changed, "changed")]
            .iter()
            .filter(|(list, _)| !list.is_empty())
            .map(|(list, what)| format!("{} {what}", counted(list.len())))
            .collect();
    let told = if parts.is_empty() {
        "the same tasks with other expected answers, choices, groups or order".to_owned()
    } else {
        parts.join(", ")
    };
    if same_name {
        format!("{told} under the same name: give the set a new name and run the baseline again")
    } else {
        format!("{told}: run the baseline again on the new set")
    }
}

fn counted(n: usize) -> String {
    if n == 1 { "1 task".into() } else { format!("{n} tasks") }
}
