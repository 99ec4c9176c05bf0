//! What was not compared, and why.

use super::conditions::{origin, readable};
use super::summary::cell_name;
use super::table::Table;
use crate::compare::{Analysis, Refusal, RefusedEdge, RenderChange, TaskChange, TaskChanges};
use serde::Serialize;

/// One refused edge in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusalView {
    /// The pair.
    pub title: String,
    /// How many fields vary, by name.
    pub headline: String,
    /// Field by field, before and after.
    pub table: Table,
    /// What changed in the task set.
    pub tasks: Option<Table>,
    /// That change in words.
    pub tasks_summary: Option<String>,
    /// The first prompt that differs.
    pub render: Option<Table>,
    /// What to do.
    pub remedies: Vec<String>,
}

pub(super) fn refusals(analysis: &Analysis) -> Vec<RefusalView> {
    analysis.refused.iter().take(super::table::MAX_ROWS).map(|edge| refusal_view(analysis, edge)).collect()
}

fn refusal_view(analysis: &Analysis, edge: &RefusedEdge) -> RefusalView {
    let RefusedEdge { workload, before, after, planned, refusal } = edge;
    RefusalView {
        title: format!(
            "{} against {} (workload {workload}; planned to vary: {planned})",
            cell_name(analysis, *before),
            cell_name(analysis, *after)
        ),
        headline: refusal.headline.clone(),
        table: field_table(refusal),
        tasks: refusal.tasks.as_ref().and_then(task_table),
        tasks_summary: refusal.tasks.as_ref().map(|tasks| tasks.summary.clone()),
        render: refusal.render.as_ref().map(render_table),
        remedies: refusal.remedies.clone(),
    }
}

fn field_table(refusal: &Refusal) -> Table {
    let rows = refusal.rows.iter().map(|row| {
        let from = if row.before_origin == row.after_origin {
            origin(row.before_origin).to_string()
        } else {
            format!("{} / {}", origin(row.before_origin), origin(row.after_origin))
        };
        let why = match row.implied_by {
            Some(cause) => format!("follows from {cause}"),
            None if row.unknown => "unknown".into(),
            None => "varies of itself".into(),
        };
        vec![row.field.name().into(), readable(&row.before), readable(&row.after), from, why]
    });
    Table::new("Fields that vary", &["Field", "Before", "After", "From", "Why"], rows)
}

fn task_table(tasks: &TaskChanges) -> Option<Table> {
    let row = |what: &str, change: &TaskChange| {
        vec![what.into(), change.id.clone(), change.text.clone().unwrap_or_else(|| change.prompt.clone())]
    };
    let rows = (tasks.added.iter().map(|change| row("added", change)))
        .chain(tasks.removed.iter().map(|change| row("removed", change)))
        .chain(tasks.changed.iter().map(|change| row("changed", change)));
    Table::new("Tasks", &["Change", "Task", "Prompt"], rows).filled()
}

fn render_table(change: &RenderChange) -> Table {
    let rows = [
        vec!["before".into(), change.id.clone(), change.before.clone()],
        vec!["after".into(), change.id.clone(), change.after.clone()],
    ];
    Table::new("The first prompt that differs", &["Side", "Task", "Prompt"], rows)
}

/// Runs that the statistics had to do without.
pub(super) fn missing_table(analysis: &Analysis) -> Option<Table> {
    let rows = analysis.missing.iter().map(|run| {
        let kind = run.kind.map_or_else(
            || "absent".into(),
            |kind| {
                serde_json::to_value(kind)
                    .ok()
                    .and_then(|value| value.as_str().map(|word| word.replace('_', " ")))
                    .unwrap_or_default()
            },
        );
        vec![run.name.clone(), cell_name(analysis, run.cell), kind, run.error.clone()]
    });
    Table::new("Runs that are missing", &["Run", "Cell", "Kind", "Error"], rows).filled()
}

/// Pairs that were never planned as edges.
pub(super) fn not_compared_table(analysis: &Analysis) -> Option<Table> {
    let rows = analysis.not_compared.listed.iter().map(|pair| {
        let fields: Vec<_> = pair.fields.iter().map(|field| field.name()).collect();
        vec![cell_name(analysis, pair.before), cell_name(analysis, pair.after), fields.join(", ")]
    });
    let mut table = Table::new(
        "Pairs that were not compared: more than one field differs, or no edge was planned",
        &["One cell", "The other", "Fields that differ"],
        rows,
    );
    table.more =
        usize::try_from(analysis.not_compared.total).unwrap_or(usize::MAX).saturating_sub(table.rows.len());
    table.filled()
}
