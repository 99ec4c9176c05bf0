//! Token identity: whether two sides gave the same replies, and whether repeats of one cell did.

use super::analysis::{Agreement, Determinism};
use super::arms::Arms;
use super::edges::GuardedEdge;
use crate::record::{Item, RunRecord};
use std::collections::BTreeMap;

/// The first finished run's replies by task and pass; repeats count once.
type Replies<'a> = BTreeMap<(&'a str, u32), &'a Item>;

/// The share of identical replies along every licensed edge with a side that replied.
pub(super) fn agreement(arms: &Arms<'_>, edges: &[GuardedEdge]) -> Vec<Agreement> {
    let replied = |edge: &&GuardedEdge| !(reads(arms, edge.from) && reads(arms, edge.to));
    edges.iter().filter(|edge| edge.is_licensed()).filter(replied).map(|edge| of_edge(arms, edge)).collect()
}

/// True for an arm whose options were scored by log-likelihood: it has no replies.
fn reads(arms: &Arms<'_>, arm: usize) -> bool {
    arms.runs_of(arm).next().is_some_and(|record| record.items.iter().any(|item| item.choices.is_some()))
}

fn of_edge(arms: &Arms<'_>, edge: &GuardedEdge) -> Agreement {
    let replies = |arm: usize| arms.runs_of(arm).next().map(replies).unwrap_or_default();
    let (before, after) = (replies(edge.from), replies(edge.to));
    let both: Vec<(&Item, &Item)> =
        before.iter().filter_map(|(key, item)| Some((*item, *after.get(key)?))).collect();
    let same: Option<Vec<bool>> = both.iter().map(|(one, other)| identical(one, other)).collect();
    let identical = same.map(|same| same.iter().filter(|&&same| same).count() as u32);
    let reason = if edge.tokenizer_varies() {
        Some("the tokenizer differs: ids mean other tokens")
    } else if both.is_empty() {
        Some("no item on both sides")
    } else if both.iter().any(|(one, other)| one.choices.is_some() || other.choices.is_some()) {
        Some("one side was scored by log-likelihood and has no replies")
    } else if identical.is_none() {
        Some("the engine gave no token ids")
    } else {
        None
    };
    Agreement {
        before: edge.edge.before,
        after: edge.edge.after,
        field: edge.edge.field,
        identical: identical.filter(|_| reason.is_none()),
        items: both.len() as u32,
        reason: reason.map(str::to_owned),
    }
}

/// For each cell with more than one finished run (the baseline with its control): how many items differ.
pub(super) fn determinism(arms: &Arms<'_>) -> Vec<Determinism> {
    let control = arms.control();
    let cells = arms.planned.arms.iter().enumerate().filter(|(arm, _)| Some(*arm) != control);
    cells.filter_map(|(arm, &cell)| of_cell(arms, arm, cell)).collect()
}

fn of_cell(arms: &Arms<'_>, arm: usize, cell: u32) -> Option<Determinism> {
    let control = arms.control().filter(|&control| arms.planned.arms.get(control) == Some(&cell));
    let mut runs: Vec<&RunRecord> = arms.runs_of(arm).collect();
    runs.extend(control.into_iter().flat_map(|control| arms.runs_of(control)));
    let (first, others) = runs.split_first()?;
    let reference = first_pass(first);
    if others.is_empty() || reference.is_empty() {
        return None;
    }
    let passes = std::iter::once(*first).chain(others.iter().copied()).flat_map(|run| &run.items);
    let mut differs: BTreeMap<&str, bool> = BTreeMap::new();
    for item in passes {
        let same = reference.get(item.id.as_str()).and_then(|first| repeated(first, item))?;
        *differs.entry(&item.id).or_default() |= !same;
    }
    Some(Determinism {
        cell,
        runs: runs.len() as u32,
        items: reference.len() as u32,
        differing: differs.values().filter(|&&differs| differs).count() as u32,
        by_likelihood: reference.values().all(|item| item.choices.is_some()),
    })
}

fn replies(record: &RunRecord) -> Replies<'_> {
    record.items.iter().map(|item| ((item.id.as_str(), item.pass), item)).collect()
}

/// The items of the first pass by task id.
pub(super) fn first_pass(record: &RunRecord) -> BTreeMap<&str, &Item> {
    record.items.iter().filter(|item| item.pass == 0).map(|item| (item.id.as_str(), item)).collect()
}

/// Whether two replies have the same tokens; `None` where ids are missing.
fn identical(one: &Item, other: &Item) -> Option<bool> {
    one.ids.as_ref().zip(other.ids.as_ref()).map(|(one, other)| one == other)
}

/// Whether two items of one cell gave the same: the same log-likelihoods of all options, or the same tokens.
fn repeated(one: &Item, other: &Item) -> Option<bool> {
    let read = one.choices.as_ref().zip(other.choices.as_ref()).map(|(one, other)| one == other);
    read.or_else(|| identical(one, other))
}
