//! The cells as they were asked for and found, and the pairs that nobody meant to compare.

use super::analysis::{AnalysedFactor, CellSummary, MergedCells, NotCompared, Shown, Unplanned};
use super::arms::Arms;
use crate::condition::{states, varied_settings};
use crate::plan::{Planned, PlannedWorkload};
use crate::record::{Outcome, RunRecord};
use std::collections::{BTreeMap, BTreeSet};

/// Most unplanned pairs that are listed.
const LISTED: usize = 40;

pub(super) fn factors(planned: &Planned) -> Vec<AnalysedFactor> {
    let shown = |factor: &crate::plan::Factor| AnalysedFactor {
        name: factor.name.clone(),
        field: factor.field,
        levels: factor.levels.clone(),
    };
    planned.factors.iter().map(shown).collect()
}

/// Every cell with the effective condition of its first finished run.
pub(super) fn summaries(planned: &Planned, records: &[RunRecord]) -> Vec<CellSummary> {
    let mut first: BTreeMap<u32, &RunRecord> = BTreeMap::new();
    for record in records.iter().filter(|record| record.outcome == Outcome::Done) {
        first.entry(record.cell).or_insert(record);
    }
    let summary = |cell: &crate::plan::Cell| CellSummary {
        index: cell.index,
        label: cell.label.clone(),
        levels: cell.levels.clone(),
        condition: first.get(&cell.index).map_or_else(Vec::new, |record| shown(record)),
    };
    planned.cells.iter().map(summary).collect()
}

/// Every controlled field of a record with its effective value in words.
pub(super) fn shown(record: &RunRecord) -> Vec<Shown> {
    let states = states(&record.condition).into_iter();
    states.map(|(field, state)| Shown { field, value: state.shown(), origin: state.origin }).collect()
}

/// Cells that share an arm, where an arm stands for more than one.
pub(super) fn merged(planned: &PlannedWorkload) -> Vec<MergedCells> {
    let mut cells_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (cell, &arm) in planned.arm_of_cell.iter().enumerate() {
        cells_of.entry(arm).or_default().push(cell as u32);
    }
    let shared = cells_of.into_iter().filter(|(_, cells)| cells.len() > 1);
    shared
        .map(|(arm, cells)| MergedCells {
            runs_as: planned.arms.get(arm as usize).copied().unwrap_or(cells[0]),
            cells,
        })
        .collect()
}

/// Counts the pairs of cells that are no edges of the plan, and lists the first of them.
pub(super) fn not_compared(planned: &Planned) -> NotCompared {
    let n = planned.cells.len() as u64;
    let edges: BTreeSet<(u32, u32)> = planned
        .graph
        .edge_indices()
        .filter_map(|edge| planned.graph.edge_endpoints(edge))
        .map(|(one, other)| (planned.graph[one], planned.graph[other]))
        .map(|(one, other)| (one.min(other), one.max(other)))
        .collect();
    let total = (n * n.saturating_sub(1) / 2).saturating_sub(edges.len() as u64);
    let pairs = planned
        .cells
        .iter()
        .enumerate()
        .flat_map(|(at, before)| planned.cells[at + 1..].iter().map(move |after| (before, after)));
    let unplanned = pairs.filter(|(before, after)| !edges.contains(&(before.index, after.index)));
    let listed = unplanned.take(LISTED.min(total as usize)).map(|(before, after)| Unplanned {
        before: before.index,
        after: after.index,
        fields: varied_settings(&before.settings, &after.settings).fields(),
    });
    NotCompared { total, listed: listed.collect() }
}

/// What a reader of a workload must know about its runs.
pub(super) fn workload_warnings(arms: &Arms<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    if arms.gaps > 0 {
        warnings.push(format!(
            "{} sub-blocks were torn apart by a pause or a restart: their two passes have separate means",
            arms.gaps
        ));
    }
    let told: BTreeSet<&str> = arms.done.iter().flat_map(|run| run.record.other_warnings()).collect();
    warnings.extend(told.into_iter().map(str::to_owned));
    warnings
}

/// Inference servers of others that ran beside any of its runs.
pub(super) fn beside(arms: &Arms<'_>) -> Vec<String> {
    let told: BTreeSet<&str> = arms.done.iter().flat_map(|run| run.record.beside_servers()).collect();
    told.into_iter().map(str::to_owned).collect()
}
