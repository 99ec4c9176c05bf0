//! When each arm of a workload runs (method, lines 1 and 12).

use super::collapse::{inert_factors, unknown_to};
use super::document::{Plan, WorkloadTable};
use super::error::PlanError;
use super::grid::Grid;
use super::levels::Draft;
use super::source::{Part, Source};
use super::{PlannedEdge, PlannedWorkload};
use crate::condition::Workload;
use crate::stats::block_order;
use std::collections::{HashMap, HashSet};

/// Most runs that are planned.
const MAX_RUNS: u128 = 10_000_000;

/// What the schedule is made for.
#[derive(Clone, Copy)]
pub(super) struct Comparison<'a> {
    pub(super) draft: &'a Draft,
    pub(super) grid: &'a Grid,
    pub(super) edges: &'a [PlannedEdge],
    pub(super) baseline: u32,
}

/// Schedules every workload; refuses an absurd number of runs before any is laid out.
pub(super) fn schedule(
    plan: &Plan,
    comparison: Comparison<'_>,
    source: &Source,
    errors: &mut Vec<PlanError>,
) -> Vec<PlannedWorkload> {
    let merged: Vec<Arms> = plan.workload.iter().map(|table| arms(table, plan, comparison)).collect();
    let runs: u128 = plan.workload.iter().zip(&merged).map(|(table, arms)| runs(table, arms, plan)).sum();
    if runs > MAX_RUNS {
        let problem = format!("the plan has {runs} runs");
        let remedy =
            format!("at most {MAX_RUNS} are planned: lower `blocks`, drop levels, or split the plan");
        errors.push(source.error("/schedule/blocks", Part::Key, problem, remedy));
        return Vec::new();
    }
    let tables = plan.workload.iter().zip(merged).enumerate();
    tables.map(|(index, (table, arms))| workload(index, table, arms, plan, comparison)).collect()
}

/// The arms of a workload: one for the cells that it cannot tell apart.
struct Arms {
    arm_of_cell: Vec<u32>,
    cells: Vec<u32>,
    control: bool,
}

fn arms(table: &WorkloadTable, plan: &Plan, comparison: Comparison<'_>) -> Arms {
    let inert = inert_factors(comparison.draft, unknown_to(table.tasks.is_some(), table.quality));
    let cells = &comparison.grid.cells;
    let mut arms = Arms { arm_of_cell: Vec::new(), cells: Vec::new(), control: plan.schedule.control };
    if inert.contains(&true) {
        let mut known: HashMap<Vec<u16>, u32> = HashMap::new();
        for cell in cells {
            let acting = cell.levels.iter().zip(&inert).map(|(&level, &inert)| if inert { 0 } else { level });
            let arm = *known.entry(acting.collect()).or_insert(arms.cells.len() as u32);
            if arm as usize == arms.cells.len() {
                arms.cells.push(cell.index);
            }
            arms.arm_of_cell.push(arm);
        }
    } else {
        arms.cells = (0..cells.len() as u32).collect();
        arms.arm_of_cell.clone_from(&arms.cells);
    }
    if arms.control {
        let baseline = arms.arm_of_cell[comparison.baseline as usize];
        arms.cells.push(arms.cells[baseline as usize]);
    }
    arms
}

fn runs(table: &WorkloadTable, arms: &Arms, plan: &Plan) -> u128 {
    let arms = arms.cells.len() as u128;
    if table.timed() { arms * 2 * u128::from(plan.schedule.blocks) } else { arms }
}

fn workload(
    index: usize,
    table: &WorkloadTable,
    arms: Arms,
    plan: &Plan,
    comparison: Comparison<'_>,
) -> PlannedWorkload {
    let once = !table.timed();
    let seed = plan.header.seed.wrapping_add(index as u64);
    let count = arms.cells.len();
    let block = |block: u32| block_order(seed, block, count).into_iter().map(|sub_block| sub_block.arms);
    let blocks = if once {
        vec![vec![block(0).flatten().collect()]]
    } else {
        (0..plan.schedule.blocks).map(|number| block(number).collect()).collect()
    };
    PlannedWorkload {
        workload: condition(table, plan),
        edges: edges(&arms, comparison.edges),
        arm_of_cell: arms.arm_of_cell,
        arms: arms.cells,
        control: arms.control,
        once,
        blocks,
    }
}

fn condition(table: &WorkloadTable, plan: &Plan) -> Workload {
    Workload {
        name: table.name.clone(),
        mode: table.mode,
        tasks: table.tasks.clone(),
        prompt_tokens: table.prompt_tokens,
        gen_tokens: table.gen_tokens,
        passes: table.passes,
        quality: table.quality,
        timing: table.timed(),
        isolation: plan.schedule.isolation,
    }
}

/// Edges whose two cells have different arms; parallel edges between the same arms are one comparison.
fn edges(arms: &Arms, edges: &[PlannedEdge]) -> Vec<PlannedEdge> {
    if arms.arm_of_cell.len() == arms.cells.len() - usize::from(arms.control) {
        return edges.to_vec();
    }
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for edge in edges {
        let (before, after) = (arms.arm_of_cell[edge.before as usize], arms.arm_of_cell[edge.after as usize]);
        if before != after && seen.insert((before, after)) {
            let cell = |arm: u32| arms.cells[arm as usize];
            kept.push(PlannedEdge { before: cell(before), after: cell(after), field: edge.field });
        }
    }
    kept
}
