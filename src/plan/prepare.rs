//! From the plan file to all that is known before anything runs.

use super::collapse::{inert_factors, unknown_to};
use super::document::{Pairs, Plan};
use super::error::{Place, PlanError, PlanErrors};
use super::grid::Grid;
use super::levels::Draft;
use super::schedule::Comparison;
use super::sense::{self, Surroundings};
use super::source::{Part, Source};
use super::{Planned, PlannedEdge, PlannedTasks, graph, grid, identity, levels, schedule, validate};
use crate::abilities::LookUp;
use std::path::Path;

/// Reads a plan, applies overrides (`settings.KEY=VALUE`), checks everything, and works it out.
///
/// Task files are read; what a plan must know of its models, `look_up` finds in their files. Every error is found at once.
pub fn prepare(path: &Path, overrides: &[String], look_up: LookUp) -> Result<Planned, PlanErrors> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let remedy = "give the path of a plan (`planrun init` writes one)".to_owned();
        let problem = format!("cannot be read: {error}");
        PlanErrors::new(path.to_owned(), vec![PlanError { place: Place::Whole, problem, remedy }])
    })?;
    prepare_text(path, &text, overrides, look_up)
}

/// The same for a plan's text; `path` says where it would stand.
pub fn prepare_text(
    path: &Path,
    text: &str,
    overrides: &[String],
    look_up: LookUp,
) -> Result<Planned, PlanErrors> {
    let mut errors = Vec::new();
    let planned = work_out(path, text, overrides, look_up, &mut errors);
    match planned {
        Some(planned) if errors.is_empty() => Ok(planned),
        _ => Err(PlanErrors::new(path.to_owned(), errors)),
    }
}

fn work_out(
    path: &Path,
    text: &str,
    overrides: &[String],
    look_up: LookUp,
    errors: &mut Vec<PlanError>,
) -> Option<Planned> {
    let mut source = Source::parse(text, errors);
    if !source.complete {
        return None;
    }
    for set in overrides {
        source.set(set, errors);
    }
    validate::check_schema(&mut source, errors);
    let plan = document(&source, errors)?;
    let draft = levels::draft(&plan, &mut source, errors);
    let around = Surroundings::of(path, &plan, look_up);
    let mut notes = Vec::new();
    let task_sets = sense::check_workloads(&plan, &draft, &around, &source, errors);
    sense::check_compare(&plan, &draft, &source, errors);
    let grid = grid::expand(&draft, &plan.grid.exclude, &source, errors);
    let Some(grid) = grid else {
        sense::check_stated(&plan, &draft, None, &around, &source, errors, &mut notes);
        return None;
    };
    sense::check_stated(&plan, &draft, Some(&grid), &around, &source, errors, &mut notes);
    let parts = Parts { path, text, overrides, plan, draft, grid, task_sets, around };
    parts.planned(&source, errors, notes)
}

fn document(source: &Source, errors: &mut Vec<PlanError>) -> Option<Plan> {
    match serde_json::from_value(source.tree.clone()) {
        Ok(plan) => Some(plan),
        Err(_) if !errors.is_empty() => None,
        Err(error) => {
            errors.push(source.error(
                "",
                Part::Key,
                error.to_string(),
                "see docs/plan-format.md for each key",
            ));
            None
        }
    }
}

/// What has been worked out so far.
struct Parts<'a> {
    path: &'a Path,
    text: &'a str,
    overrides: &'a [String],
    plan: Plan,
    draft: Draft,
    grid: Grid,
    task_sets: Vec<Option<PlannedTasks>>,
    around: Surroundings,
}

impl Parts<'_> {
    fn planned(
        self,
        source: &Source,
        errors: &mut Vec<PlanError>,
        mut notes: Vec<String>,
    ) -> Option<Planned> {
        let (baseline, edges) = self.edges(source, errors)?;
        let comparison = Comparison { draft: &self.draft, grid: &self.grid, edges: &edges, baseline };
        let workloads = schedule::schedule(&self.plan, comparison, source, errors);
        if !errors.is_empty() {
            return None;
        }
        let inert = |table: &super::WorkloadTable| {
            inert_factors(&self.draft, unknown_to(table.tasks.is_some(), table.quality))
        };
        let baseline_levels = &self.grid.cells[baseline as usize].levels;
        let identity = identity::of_plan(&self.plan, baseline_levels, &self.task_sets, &self.around);
        notes.extend(self.grid_notes());
        Some(Planned {
            inert_factors: self.plan.workload.iter().map(inert).collect(),
            graph: graph::graph(self.grid.cells.len() as u32, &edges),
            factors: grid::factors(&self.draft),
            path: self.path.to_owned(),
            text: self.text.to_owned(),
            overrides: self.overrides.to_vec(),
            identity: identity?,
            cells: self.grid.cells,
            document: self.plan,
            models: self.around.model_fingerprints(),
            task_sets: self.task_sets,
            baseline,
            workloads,
            notes,
        })
    }

    fn edges(&self, source: &Source, errors: &mut Vec<PlanError>) -> Option<(u32, Vec<PlannedEdge>)> {
        let (draft, grid, compare) = (&self.draft, &self.grid, &self.plan.compare);
        let baseline = if compare.baseline.is_empty() {
            Some(0)
        } else {
            let first = vec![0; draft.factors.len()];
            graph::find_cell(&compare.baseline, &first, draft, grid, "/compare/baseline", source, errors)
        };
        let start = baseline.unwrap_or(0);
        let edges = match &compare.pairs {
            Pairs::Rule(rule) => graph::edges_by_rule(*rule, draft, grid, start, source, errors),
            Pairs::List(pairs) => graph::edges_by_list(pairs, draft, grid, start, source, errors),
        };
        baseline.map(|baseline| (baseline, edges))
    }

    fn grid_notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.grid.collapsed > 0 {
            notes.push(format!(
                "{} combinations of levels collapse: they differ from another only in settings that cannot act there \
                 (sampling settings at temperature 0, grades of a thinking that is off, limits of replies where none is generated)",
                self.grid.collapsed,
            ));
        }
        if self.grid.excluded > 0 {
            notes.push(format!("{} combinations are excluded by [[grid.exclude]]", self.grid.excluded));
        }
        notes
    }
}
