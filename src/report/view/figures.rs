//! Which pictures stand in a report, and the numbers that they draw.

use super::cells;
use crate::compare::{
    Analysis, CellValue, DeltaUnit, Direction, EdgeFinding, MetricAnalysis, Replication, Verdict,
    WorkloadAnalysis,
};
use crate::report::names;
use crate::report::number;
use crate::report::plot::{
    Forest, ForestRow, Quality, QualityRow, Standing, Timeline, TimelinePoint, forest, quality, timeline,
};
use crate::report::words::{self, capital, delta_unit};
use serde::Serialize;

/// A picture: its file beside the markdown, and its text inside the HTML.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// File name (`forest-decode_tok_s-generate.svg`).
    pub file: String,
    /// What it shows, for those who cannot see it.
    pub alt: String,
    /// The SVG element.
    #[serde(skip)]
    pub svg: String,
}

/// Rows that a picture can show and stay readable.
const MAX_ROWS: usize = 48;

/// All pictures of a primary metric.
pub(super) fn of_metric(
    origin: &str,
    analysis: &Analysis,
    workload: &WorkloadAnalysis,
    metric: &MetricAnalysis,
) -> Vec<Figure> {
    let stem = super::metric::id(workload, metric);
    let name = format!("{} ({})", capital(names::words(metric)), workload.name);
    let mut figures = Vec::new();
    if metric.edges.iter().any(|edge| edge.delta.is_some()) {
        let plot = forest_of(metric, &name, origin);
        figures.push(figure(&format!("forest-{stem}"), &plot.title, forest(&plot)));
    }
    figures.extend(super::interactions::interactions(origin, analysis, metric, &stem));
    if let Some(resolution) = &metric.resolution {
        let plot =
            Quality { origin: origin.into(), ..quality_of(analysis, metric, &name, resolution.unpaired) };
        figures.push(figure(&format!("shares-{stem}"), &plot.title, quality(&plot)));
    }
    if !metric.runs.is_empty() {
        let plot = Timeline { origin: origin.into(), ..timeline_of(analysis, metric, &name) };
        figures.push(figure(&format!("runs-{stem}"), &plot.title, timeline(&plot)));
    }
    figures
}

pub(super) fn figure(stem: &str, alt: &str, svg: String) -> Figure {
    Figure { file: format!("{stem}.svg"), alt: alt.into(), svg }
}

/// A file name that no file system and no link minds: other letters become hyphens.
pub(super) fn file_stem(text: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' };
    text.chars().map(plain).collect()
}

fn forest_of(metric: &MetricAnalysis, name: &str, origin: &str) -> Forest {
    let unit = delta_unit(metric);
    let better = match metric.direction {
        Direction::HigherIsBetter => "; right is better",
        Direction::LowerIsBetter => "; left is better",
        Direction::Neutral => "",
    };
    let of = if metric.delta_unit == DeltaUnit::Percent { " of the value before" } else { "" };
    Forest {
        title: format!("{name}: change along each edge"),
        axis: format!("after minus before, {unit}{of}{better}"),
        band: band_words(metric),
        bars: metric.edges.iter().find_map(|edge| edge.interval.as_ref()).map_or_else(
            String::new,
            |bounds| {
                let kind =
                    if bounds.simultaneous { "simultaneous intervals" } else { "intervals, each alone" };
                format!("bars: {}\u{a0}% {kind}", words::level(bounds.level))
            },
        ),
        n: n_words(metric),
        origin: origin.into(),
        rows: metric.edges.iter().take(MAX_ROWS).map(|edge| forest_row(metric, edge)).collect(),
        more: metric.edges.len().saturating_sub(MAX_ROWS),
    }
}

fn band_words(metric: &MetricAnalysis) -> String {
    match metric.replication {
        _ if metric.edges.iter().all(|edge| edge.floor.is_none()) => String::new(),
        Replication::Item => "grey: resolution of the pair by itself; the bar decides".into(),
        Replication::Block => "grey: typical noise floor, all arms pooled; the bar decides".into(),
    }
}

pub(super) fn n_words(metric: &MetricAnalysis) -> String {
    match metric.replication {
        Replication::Block => format!("{} blocks, two runs a cell in each", metric.n),
        Replication::Item => format!("{} items, the same on both sides", metric.n),
    }
}

fn forest_row(metric: &MetricAnalysis, edge: &EdgeFinding) -> ForestRow {
    let precision = words::precision(metric, edge.interval.as_ref(), edge.delta);
    let at = if edge.at.is_empty() { String::new() } else { format!(" ({})", edge.at) };
    ForestRow {
        label: format!("{} {} \u{2192} {}{at}", edge.field, edge.from, edge.to),
        delta: edge.delta,
        interval: edge.interval.map(|bounds| (bounds.low, bounds.high)),
        floor: edge.floor,
        standing: match &edge.verdict {
            Some(Verdict::Established { .. }) => Standing::Established,
            Some(Verdict::Equivalent { .. }) => Standing::Equivalent,
            Some(Verdict::WithinNoise { .. }) => Standing::Open,
            _ => Standing::Unjudged,
        },
        shown: edge.delta.map_or_else(
            || edge.verdict.as_ref().map_or("not measured", Verdict::word).to_string(),
            |delta| number::change(delta, precision, delta_unit(metric)),
        ),
    }
}

fn quality_of(analysis: &Analysis, metric: &MetricAnalysis, name: &str, resolution: Option<f64>) -> Quality {
    let of = |value: &CellValue| {
        let counted = value.count.filter(|count| count.n > 0);
        counted.map_or_else(
            || value.value.map(|share| 100.0 * share),
            |count| Some(100.0 * f64::from(count.k) / f64::from(count.n)),
        )
    };
    let baseline = metric.cells.iter().find(|value| value.cell == analysis.baseline && !value.control);
    Quality {
        title: format!("{name} by cell"),
        resolution,
        baseline: baseline.and_then(of),
        n: format!("{} items, the same for every cell", metric.n),
        origin: String::new(),
        rows: metric
            .cells
            .iter()
            .take(MAX_ROWS)
            .map(|value| QualityRow {
                label: cells::arm(analysis, metric, value),
                percent: of(value),
                shown: cells::value_words(metric, value),
            })
            .collect(),
        more: metric.cells.len().saturating_sub(MAX_ROWS),
    }
}

fn timeline_of(analysis: &Analysis, metric: &MetricAnalysis, name: &str) -> Timeline {
    let same = |of: &CellValue, cell: u32, control: bool| of.cell == cell && of.control == control;
    let points: Vec<_> = metric
        .runs
        .iter()
        .filter_map(|run| {
            let series = metric.cells.iter().position(|value| same(value, run.cell, run.control))?;
            let mean = metric.cells[series].value.filter(|mean| *mean != 0.0)?;
            Some(TimelinePoint {
                series,
                block: run.block,
                percent: Some(100.0 * run.value / mean),
                clipped: run.clipped,
            })
        })
        .collect();
    let blocks = points.iter().map(|point| point.block).max().map_or(0, |last| last + 1);
    Timeline {
        title: format!("{name}: runs over time"),
        axis: "% of the cell's own typical value".into(),
        floor: metric.floor.map(|floor| floor.value).filter(|_| metric.delta_unit == DeltaUnit::Percent),
        n: format!(
            "{} of {} in {}",
            words::counted(points.len(), "run"),
            words::counted(metric.cells.len(), "arm"),
            words::counted(blocks as usize, "block")
        ),
        origin: String::new(),
        series: metric.cells.iter().map(|value| cells::arm(analysis, metric, value)).collect(),
        points,
    }
}
