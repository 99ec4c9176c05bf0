//! The guard applied to a workload's planned edges: which may be judged, and what the others lack.

use super::arms::Arms;
use super::case::Case;
use super::guard::{License, license, license_planned};
use super::refusal::Refusal;
use crate::condition::{Condition, Field};
use crate::plan::PlannedEdge;
use crate::record::RunRecord;
use std::collections::BTreeSet;

/// A planned edge with its arms and the guard's answer.
pub(super) struct GuardedEdge {
    pub(super) edge: PlannedEdge,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) standing: Standing,
}

/// The guard's answer to one edge.
pub(super) enum Standing {
    /// One field varies, the planned one.
    Licensed {
        /// What follows from it.
        implied: Vec<Field>,
        /// Tokens are not the same unit on both sides.
        tokenizer_varies: bool,
    },
    /// Nothing varies.
    Repeats,
    /// Something else varies.
    Refused(Box<Refusal>),
    /// A side has no finished run.
    Incomplete(Vec<String>),
}

impl GuardedEdge {
    pub(super) fn is_licensed(&self) -> bool {
        matches!(self.standing, Standing::Licensed { .. })
    }

    pub(super) fn tokenizer_varies(&self) -> bool {
        matches!(self.standing, Standing::Licensed { tokenizer_varies: true, .. })
    }
}

/// Asks the guard about every planned edge of a workload; edges that share both arms are asked about once.
pub(super) fn guard_edges(case: &Case<'_>, arms: &Arms<'_>) -> Vec<GuardedEdge> {
    let conditions: Vec<Vec<&RunRecord>> =
        (0..arms.planned.arms.len()).map(|arm| distinct(arms.runs_of(arm))).collect();
    let mut seen = BTreeSet::new();
    let mut guarded = Vec::new();
    for &edge in &arms.planned.edges {
        let (Some(from), Some(to)) = (arms.arm(edge.before), arms.arm(edge.after)) else { continue };
        if from != to && seen.insert((from, to)) {
            let standing = stand(case, arms, edge, (from, to), &conditions);
            guarded.push(GuardedEdge { edge, from, to, standing });
        }
    }
    guarded
}

/// One record for each condition that an arm's runs had; usually a single one.
pub(super) fn distinct<'a>(runs: impl Iterator<Item = &'a RunRecord>) -> Vec<&'a RunRecord> {
    let mut kept: Vec<&RunRecord> = Vec::new();
    for run in runs {
        let known = |other: &&RunRecord| same(&other.condition, &run.condition);
        if !kept.iter().any(known) {
            kept.push(run);
        }
    }
    kept
}

fn same(one: &Condition, other: &Condition) -> bool {
    one == other
}

fn stand(
    case: &Case<'_>,
    arms: &Arms<'_>,
    edge: PlannedEdge,
    (from, to): (usize, usize),
    conditions: &[Vec<&RunRecord>],
) -> Standing {
    let (Some(befores), Some(afters)) = (conditions.get(from), conditions.get(to)) else {
        return Standing::Incomplete(Vec::new());
    };
    if befores.is_empty() || afters.is_empty() {
        let missing = [(from, befores), (to, afters)].into_iter().filter(|(_, runs)| runs.is_empty());
        return Standing::Incomplete(missing.flat_map(|(arm, _)| arms.missing_of(arm)).collect());
    }
    if let Err(refusal) = steady(case, befores).and_then(|()| steady(case, afters)) {
        return Standing::Refused(Box::new(Refusal { planned: Some(edge.field), ..*refusal }));
    }
    let mut license = None;
    for before in befores {
        for after in afters {
            match license_planned(before, after, case.assume(), edge.field) {
                Ok(licensed) => license = Some(licensed),
                Err(refusal) => return Standing::Refused(refusal),
            }
        }
    }
    license.map_or(Standing::Repeats, |license| standing_of(&license))
}

/// All runs of an arm must repeat one condition.
fn steady(case: &Case<'_>, runs: &[&RunRecord]) -> Result<(), Box<Refusal>> {
    let Some((first, others)) = runs.split_first() else { return Ok(()) };
    for other in others {
        let license = license(first, other, case.assume(), true)?;
        if let Some(field) = license.field() {
            let (varied, _) = super::guard::settled(first, other, case.assume(), true);
            let mut refusal = super::refusal::refuse(first, other, &varied);
            refusal.headline =
                format!("{field} varies between runs of one cell ({}, {})", first.id, other.id);
            return Err(Box::new(refusal));
        }
    }
    Ok(())
}

fn standing_of(license: &License) -> Standing {
    match license.field() {
        None => Standing::Repeats,
        Some(field) => {
            let implied = license.implied();
            let tokenizer_varies = field == Field::Tokenizer || implied.contains(&Field::Tokenizer);
            Standing::Licensed { implied, tokenizer_varies }
        }
    }
}
