//! Which pictures stand in a report, and the numbers that they draw.

use super::cells;
use super::summary::label;
use crate::compare::{
    AnalysedFactor, Analysis, CellValue, DeltaUnit, Direction, EdgeFinding, MetricAnalysis, Replication,
    Verdict, WorkloadAnalysis,
};
use crate::report::names;
use crate::report::number::{self, Precision};
use crate::report::plot::{
    Forest, ForestRow, Interaction, Line, LinePoint, Quality, QualityRow, Standing, Timeline, TimelinePoint,
    forest, interaction, quality, timeline,
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
    analysis: &Analysis,
    workload: &WorkloadAnalysis,
    metric: &MetricAnalysis,
) -> Vec<Figure> {
    let stem = super::metric::id(workload, metric);
    let name = format!("{} ({})", capital(names::words(metric)), workload.name);
    let mut figures = Vec::new();
    if metric.edges.iter().any(|edge| edge.delta.is_some()) {
        let plot = forest_of(metric, &name);
        figures.push(figure(&format!("forest-{stem}"), &plot.title, forest(&plot)));
    }
    if let Some(resolution) = &metric.resolution {
        let plot = quality_of(analysis, metric, &name, resolution.unpaired);
        figures.push(figure(&format!("shares-{stem}"), &plot.title, quality(&plot)));
    }
    if !metric.runs.is_empty() {
        let plot = timeline_of(analysis, metric, &name);
        figures.push(figure(&format!("runs-{stem}"), &plot.title, timeline(&plot)));
    }
    figures.extend(interactions(analysis, metric, &stem));
    figures
}

fn figure(stem: &str, alt: &str, svg: String) -> Figure {
    Figure { file: format!("{stem}.svg"), alt: alt.into(), svg }
}

/// A file name that no file system and no link minds: other letters become hyphens.
pub(super) fn file_stem(text: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' };
    text.chars().map(plain).collect()
}

fn forest_of(metric: &MetricAnalysis, name: &str) -> Forest {
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
        floor: metric
            .floor
            .map(|floor| floor.value)
            .or_else(|| metric.resolution.as_ref().and_then(|one| one.unpaired)),
        floor_name: if metric.floor.is_some() { "noise floor" } else { "resolution" }.into(),
        n: n_words(metric),
        unit: unit.into(),
        rows: metric.edges.iter().take(MAX_ROWS).map(|edge| forest_row(metric, edge)).collect(),
        more: metric.edges.len().saturating_sub(MAX_ROWS),
    }
}

fn n_words(metric: &MetricAnalysis) -> String {
    match metric.replication {
        Replication::Block => format!("{} blocks, two runs a cell in each", metric.n),
        Replication::Item => format!("{} items, the same on both sides", metric.n),
    }
}

fn forest_row(metric: &MetricAnalysis, edge: &EdgeFinding) -> ForestRow {
    let precision = words::precision(edge.interval.as_ref());
    let at = if edge.at.is_empty() { String::new() } else { format!(" ({})", edge.at) };
    ForestRow {
        label: format!("{} {} \u{2192} {}{at}", edge.field, edge.from, edge.to),
        delta: edge.delta,
        interval: edge.interval.map(|bounds| (bounds.low, bounds.high)),
        standing: match &edge.verdict {
            Some(Verdict::Established { .. }) => Standing::Established,
            Some(Verdict::WithinNoise { .. } | Verdict::Equivalent { .. }) => Standing::Open,
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
        rows: metric
            .cells
            .iter()
            .take(MAX_ROWS)
            .map(|value| QualityRow {
                label: cells::arm(analysis, value),
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
        n: format!("{} runs of {} arms in {blocks} blocks", points.len(), metric.cells.len()),
        series: metric.cells.iter().map(|value| cells::arm(analysis, value)).collect(),
        points,
    }
}

/// One picture a pair of factors that this workload can tell apart.
fn interactions(analysis: &Analysis, metric: &MetricAnalysis, stem: &str) -> Vec<Figure> {
    let acts = |factor: &AnalysedFactor| metric.factors.iter().any(|finding| finding.factor == factor.name);
    let acting: Vec<usize> = (0..analysis.factors.len()).filter(|i| acts(&analysis.factors[*i])).collect();
    let pairs = acting
        .iter()
        .enumerate()
        .flat_map(|(i, one)| acting[i + 1..].iter().map(move |other| (*one, *other)));
    pairs
        .take(MAX_PAIRS)
        .map(|(one, other)| {
            let plot = interaction_of(analysis, metric, longer_first(analysis, one, other));
            let names = [&analysis.factors[one].name, &analysis.factors[other].name];
            let file = file_stem(&format!("interaction-{stem}-{}-{}", names[0], names[1]));
            figure(&file, &plot.title, interaction(&plot))
        })
        .collect()
}

/// Pairs of factors drawn for one metric.
const MAX_PAIRS: usize = 10;

/// The factor with more levels lies across; the other gives the lines.
fn longer_first(analysis: &Analysis, one: usize, other: usize) -> (usize, usize) {
    let levels = |i: usize| analysis.factors[i].levels.len();
    if levels(other) > levels(one) { (other, one) } else { (one, other) }
}

fn interaction_of(analysis: &Analysis, metric: &MetricAnalysis, (across, by): (usize, usize)) -> Interaction {
    let (over, lines) = (&analysis.factors[across], &analysis.factors[by]);
    let point = |i: usize, j: usize| mean_of(analysis, metric, (across, i), (by, j));
    Interaction {
        title: format!("{}: {} by {}", capital(names::words(metric)), over.name, lines.name),
        axis: format!("{}, mean over the cells with both levels", unit_of_axis(metric)),
        across: over.name.clone(),
        levels: over.levels.clone(),
        by: lines.name.clone(),
        lines: lines
            .levels
            .iter()
            .enumerate()
            .map(|(j, level)| Line {
                label: level.clone(),
                points: (0..over.levels.len()).map(|i| point(i, j)).collect(),
            })
            .collect(),
        floor: floor_words(metric),
        n: n_words(metric),
    }
}

fn unit_of_axis(metric: &MetricAnalysis) -> String {
    if metric.delta_unit == DeltaUnit::Points { "% of items".into() } else { metric.unit.clone() }
}

fn floor_words(metric: &MetricAnalysis) -> String {
    let unit = delta_unit(metric);
    let shown = |value: f64| number::with_unit(Precision::of_half_width(value).plain(value), unit);
    match (&metric.floor, &metric.resolution) {
        (Some(floor), _) => {
            format!("bars: noise of a mean; noise floor of one edge \u{b1}{}", shown(floor.value))
        }
        (None, Some(resolution)) => {
            let points = resolution.unpaired.map_or_else(|| "more than 100 points".into(), shown);
            format!("resolution of the task set: {points}")
        }
        (None, None) => "no noise floor was measured".into(),
    }
}

/// Mean over the cells with a level of each of two factors. The bar is the half of an edge's floor that belongs to one
/// side (`floor / sqrt 2`), over the square root of the number of cells.
fn mean_of(
    analysis: &Analysis,
    metric: &MetricAnalysis,
    one: (usize, usize),
    other: (usize, usize),
) -> LinePoint {
    let has = |levels: &[u16], (factor, level): (usize, usize)| levels.get(factor) == Some(&(level as u16));
    let chosen = analysis.cells.iter().filter(|cell| has(&cell.levels, one) && has(&cell.levels, other));
    let values: Vec<f64> = chosen
        .filter_map(|cell| {
            metric.cells.iter().find(|value| value.cell == cell.index && !value.control)?.value
        })
        .collect();
    if values.is_empty() {
        return LinePoint::default();
    }
    let scale = if metric.delta_unit == DeltaUnit::Points { 100.0 } else { 1.0 };
    let count = values.len() as f64;
    let mean = scale * values.iter().sum::<f64>() / count;
    let half = metric.floor.map(|floor| floor.value / std::f64::consts::SQRT_2 / count.sqrt());
    let half =
        half.map(|half| if metric.delta_unit == DeltaUnit::Percent { mean * half / 100.0 } else { half });
    LinePoint { mean: Some(mean), interval: half.map(|half| (mean - half, mean + half)) }
}

/// A label that never is empty.
pub(super) fn cell_name(analysis: &Analysis, cell: u32) -> String {
    label(analysis, cell).to_string()
}
