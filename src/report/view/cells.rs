//! Each cell's own numbers, before anything is compared.

use super::summary::label;
use super::table::Table;
use crate::compare::{Analysis, CellValue, MetricAnalysis, Replication, WorkloadAnalysis};
use crate::report::names;
use crate::report::number;

/// Name of an arm: its cell in the factors that act on the metric, and whether it is the control.
pub(super) fn arm(analysis: &Analysis, metric: &MetricAnalysis, value: &CellValue) -> String {
    let name = acting_label(analysis, metric, value.cell);
    if value.control { format!("control: {name}") } else { name }
}

/// A cell's levels in the factors that act on a metric: the others merged into it.
fn acting_label(analysis: &Analysis, metric: &MetricAnalysis, cell: u32) -> String {
    let levels = analysis.cells.iter().find(|summary| summary.index == cell).map(|summary| &summary.levels);
    let acts = |name: &str| metric.factors.iter().any(|finding| finding.factor == name);
    let parts = analysis.factors.iter().zip(levels.into_iter().flatten()).filter_map(|(factor, level)| {
        let level = factor.levels.get(usize::from(*level)).filter(|_| acts(&factor.name))?;
        Some(format!("{}={level}", factor.name))
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { label(analysis, cell).into() } else { parts.join(" ") }
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

/// All metrics of a workload by arm; metrics that no arm measured are told apart. Where every arm ran once, what is
/// measured by the clock stands in a table of its own: one run is no comparison.
pub(super) fn matrices(analysis: &Analysis, workload: &WorkloadAnalysis) -> Vec<Table> {
    let known = workload.metrics.iter().filter(|metric| measured(metric));
    let (single, judged): (Vec<_>, Vec<_>) =
        known.partition(|metric| workload.once && metric.replication == Replication::Block);
    let name = &workload.name;
    let judged = matrix(&format!("Workload {name}: typical values by cell"), analysis, &judged, value_words);
    let caption =
        format!("Workload {name}: times and memory of one run each, unpaired: not comparable between cells");
    let single = matrix(&caption, analysis, &single, |metric, value| {
        value.value.map_or_else(|| not_measured(value.reason.as_deref()), |size| names::roughly(metric, size))
    });
    [judged, single].into_iter().flatten().collect()
}

fn matrix(
    caption: &str,
    analysis: &Analysis,
    metrics: &[&MetricAnalysis],
    words: impl Fn(&MetricAnalysis, &CellValue) -> String,
) -> Option<Table> {
    let titles: Vec<String> = metrics.iter().map(|metric| names::spoken(metric)).collect();
    let head: Vec<&str> = std::iter::once("Cell").chain(titles.iter().map(String::as_str)).collect();
    let longest = metrics.iter().max_by_key(|metric| metric.cells.len())?;
    let rows = longest.cells.iter().map(|of| {
        let value = |metric: &&MetricAnalysis| {
            let same = |value: &&CellValue| value.cell == of.cell && value.control == of.control;
            metric.cells.iter().find(same).map_or_else(|| "\u{2013}".into(), |value| words(metric, value))
        };
        std::iter::once(arm(analysis, longest, of)).chain(metrics.iter().map(value)).collect()
    });
    Table::new(caption, &head, rows).filled()
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
            arm(analysis, metric, value),
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
