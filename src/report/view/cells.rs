//! Each cell's own numbers, before anything is compared.

use super::summary::label;
use super::table::Table;
use crate::compare::{Analysis, CellValue, MetricAnalysis, WorkloadAnalysis};
use crate::report::names;
use crate::report::number;

/// Name of an arm: its cell, and whether it is the control.
pub(super) fn arm(analysis: &Analysis, value: &CellValue) -> String {
    let name = label(analysis, value.cell);
    if value.control { format!("{name} (A/A control)") } else { name.into() }
}

/// A cell's value with its count, or why there is none.
pub(super) fn value_words(metric: &MetricAnalysis, value: &CellValue) -> String {
    match (value.count, value.value) {
        (Some(count), Some(_)) => number::share(count),
        (None, Some(share)) if names::is_share(metric) => names::percent_of(share, value.n),
        (None, Some(number)) => names::quantity(metric, number),
        (_, None) => not_measured(value.reason.as_deref()),
    }
}

pub(super) fn not_measured(reason: Option<&str>) -> String {
    reason.map_or_else(|| "not measured".into(), |reason| format!("not measured: {reason}"))
}

/// The value of a cell that is not the control.
pub(super) fn of_cell(metric: &MetricAnalysis, cell: u32) -> String {
    let found = metric.cells.iter().find(|value| value.cell == cell && !value.control);
    found.map_or_else(|| "\u{2013}".into(), |value| value_words(metric, value))
}

/// All metrics of a workload by arm; metrics that no arm measured are told apart.
pub(super) fn matrix(analysis: &Analysis, workload: &WorkloadAnalysis) -> Table {
    let metrics: Vec<_> = workload.metrics.iter().filter(|metric| measured(metric)).collect();
    let titles: Vec<String> = metrics.iter().map(|metric| names::spoken(metric)).collect();
    let head: Vec<&str> = std::iter::once("Cell").chain(titles.iter().map(String::as_str)).collect();
    let arms = metrics.iter().map(|metric| &metric.cells).max_by_key(|cells| cells.len());
    let rows = arms.into_iter().flatten().map(|of| {
        let value = |metric: &&MetricAnalysis| {
            let same = |value: &&CellValue| value.cell == of.cell && value.control == of.control;
            metric
                .cells
                .iter()
                .find(same)
                .map_or_else(|| "\u{2013}".into(), |value| value_words(metric, value))
        };
        std::iter::once(arm(analysis, of)).chain(metrics.iter().map(value)).collect()
    });
    Table::new(&format!("Workload {}: typical values by cell", workload.name), &head, rows)
}

fn measured(metric: &MetricAnalysis) -> bool {
    metric.cells.iter().any(|value| value.value.is_some())
}

/// Metrics that no cell measured, with the reason.
pub(super) fn unmeasured(workload: &WorkloadAnalysis) -> Option<Table> {
    let rows = workload.metrics.iter().filter(|metric| !measured(metric)).map(|metric| {
        let reason = metric.cells.iter().find_map(|value| value.reason.as_deref());
        vec![names::spoken(metric), not_measured(reason)]
    });
    Table::new(&format!("Workload {}: not measured", workload.name), &["Metric", "Why"], rows).filled()
}

/// Spread and clipping of a timed metric by arm.
pub(super) fn spread(analysis: &Analysis, metric: &MetricAnalysis) -> Option<Table> {
    let head = ["Cell", "Typical (robust)", "Plain mean", "Smallest to largest run", "Runs", "Clipped"];
    let timed = metric.cells.iter().filter(|value| value.plain_mean.is_some() || value.range.is_some());
    let rows = timed.map(|value| {
        let range = value.range.map_or_else(
            || "\u{2013}".into(),
            |[low, high]| format!("{} to {}", names::quantity(metric, low), names::quantity(metric, high)),
        );
        vec![
            arm(analysis, value),
            value_words(metric, value),
            value.plain_mean.map_or_else(|| "\u{2013}".into(), |mean| names::quantity(metric, mean)),
            range,
            value.n.to_string(),
            value.clipped.map_or_else(|| "\u{2013}".into(), |count| format!("{}/{}", count.k, count.n)),
        ]
    });
    Table::new(
        &format!("{}: runs of each cell", crate::report::words::capital(&names::spoken(metric))),
        &head,
        rows,
    )
    .filled()
}
