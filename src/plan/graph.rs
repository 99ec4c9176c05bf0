//! Which cells may be compared: a graph whose edges each change one field.

use super::document::{Pair, PairRule};
use super::error::PlanError;
use super::grid::{Grid, find_factor, find_level};
use super::levels::Draft;
use super::source::{Part, Source, child};
use super::{ComparisonGraph, PlannedEdge};
use crate::condition::varied_settings;
use petgraph::graph::NodeIndex;
use serde_json::{Map, Value};

/// Most edges that are planned.
const MAX_EDGES: usize = 10_000_000;

/// The edges that a rule picks, line by line: factor by factor, in the order of the cells.
///
/// Cells that differ in one factor differ in the field in which that factor's two levels differ; the guard's rule has been
/// asked once for each two levels.
pub(super) fn edges_by_rule(
    rule: PairRule,
    draft: &Draft,
    grid: &Grid,
    baseline: u32,
    source: &Source,
    errors: &mut Vec<PlanError>,
) -> Vec<PlannedEdge> {
    let mut edges = Vec::new();
    for (index, factor) in draft.factors.iter().enumerate() {
        for cell in &grid.cells {
            if edges.len() > MAX_EDGES {
                let remedy = "choose pairs = \"star\" or \"baseline\", or split the plan";
                let problem = format!("more than {MAX_EDGES} pairs would be compared");
                errors.push(source.error("/compare/pairs", Part::Value, problem, remedy));
                return Vec::new();
            }
            let level = cell.levels[index];
            for low in lower_levels(rule, level) {
                let mut levels = cell.levels.clone();
                levels[index] = low;
                let Some(before) = grid.own_cell(&levels) else { continue };
                if rule == PairRule::Baseline && before != baseline && cell.index != baseline {
                    continue;
                }
                if let Some(field) = factor.fields.of(low, level) {
                    edges.push(PlannedEdge { before, after: cell.index, field });
                }
            }
        }
    }
    edges
}

/// The levels below `level` that a rule pairs with it.
fn lower_levels(rule: PairRule, level: u16) -> std::ops::Range<u16> {
    match rule {
        PairRule::Star => 0..level.min(1),
        PairRule::Neighbours => level.saturating_sub(1)..level,
        PairRule::Baseline | PairRule::All => 0..level,
    }
}

/// The edges that a plan lists, each held against the guard's rule.
pub(super) fn edges_by_list(
    pairs: &[Pair],
    draft: &Draft,
    grid: &Grid,
    baseline: u32,
    source: &Source,
    errors: &mut Vec<PlanError>,
) -> Vec<PlannedEdge> {
    let mut edges: Vec<PlannedEdge> = Vec::new();
    for (index, pair) in pairs.iter().enumerate() {
        let pointer = format!("/compare/pairs/{index}");
        let start = &grid.cells[baseline as usize].levels;
        let before = find_cell(&pair.before, start, draft, grid, &child(&pointer, "before"), source, errors);
        let after = find_cell(&pair.after, start, draft, grid, &child(&pointer, "after"), source, errors);
        let (Some(before), Some(after)) = (before, after) else { continue };
        let (first, second) = (&grid.cells[before as usize], &grid.cells[after as usize]);
        match varied_settings(&first.settings, &second.settings).fields().as_slice() {
            [field] => edges.push(PlannedEdge { before, after, field: *field }),
            fields => {
                let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
                let problem = if fields.is_empty() {
                    "this pair compares a cell with itself".to_owned()
                } else {
                    format!("this pair differs in {} controlled fields ({})", names.len(), names.join(", "))
                };
                errors.push(source.error(
                    &pointer,
                    Part::Value,
                    problem,
                    "name two cells that differ in one factor",
                ));
            }
        }
    }
    edges
}

/// The cell that a table of levels names; factors left out take their level from `start`.
pub(super) fn find_cell(
    named: &Map<String, Value>,
    start: &[u16],
    draft: &Draft,
    grid: &Grid,
    pointer: &str,
    source: &Source,
    errors: &mut Vec<PlanError>,
) -> Option<u32> {
    let mut levels = start.to_vec();
    let before = errors.len();
    for (name, value) in named {
        let at = child(pointer, name);
        let Some(factor) = find_factor(draft, name, &at, source, errors) else { continue };
        if let Some(level) = find_level(draft, factor, value, &at, source, errors) {
            levels[factor] = level;
        }
    }
    if errors.len() > before {
        return None;
    }
    let found = grid.cell(&levels);
    if found.is_none() {
        let remedy = "name a cell that [[grid.exclude]] leaves in";
        errors.push(source.error(pointer, Part::Key, "these levels are no cell of the grid", remedy));
    }
    found
}

/// The graph of all cells and edges.
pub(super) fn graph(cells: u32, edges: &[PlannedEdge]) -> ComparisonGraph {
    let mut graph = ComparisonGraph::with_capacity(cells as usize, edges.len());
    for cell in 0..cells {
        graph.add_node(cell);
    }
    for edge in edges {
        graph.add_edge(NodeIndex::new(edge.before as usize), NodeIndex::new(edge.after as usize), edge.field);
    }
    graph
}
