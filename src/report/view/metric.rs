//! One metric: its factor effects, its edges, its interactions and its pictures.

use super::cells;
use super::figures::{self, Figure};
use super::summary::{grounds, heading};
use super::table::Table;
use crate::compare::{
    Analysis, Bounds, Direction, EdgeFinding, FactorFinding, InteractionFinding, MetricAnalysis, Verdict,
    WorkloadAnalysis,
};
use crate::report::names;
use crate::report::number::{self, Precision};
use crate::report::words::{self, delta_unit, edge_words};
use serde::Serialize;

/// A metric laid out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// Anchor, unique in the report.
    pub id: String,
    /// Metric and workload.
    pub title: String,
    /// The same in short, for the table of contents.
    pub short: String,
    /// What its numbers rest on.
    pub grounds: Vec<String>,
    /// Effects pooled over parallel edges.
    pub factors: Option<Table>,
    /// Every edge.
    pub edges: Option<Table>,
    /// Every edge in one sentence.
    pub sentences: Vec<String>,
    /// Averaged interactions.
    pub interactions: Option<Table>,
    /// Pictures.
    pub figures: Vec<Figure>,
    /// What a reader must know.
    pub warnings: Vec<String>,
}

const DASH: &str = "\u{2013}";

/// The section of a primary metric.
pub(super) fn section(analysis: &Analysis, workload: &WorkloadAnalysis, metric: &MetricAnalysis) -> Section {
    Section {
        id: id(workload, metric),
        title: heading(workload, metric),
        short: format!("{} ({})", words::capital(names::words(metric)), workload.name),
        grounds: grounds(metric),
        factors: factor_table(metric).filled(),
        edges: edge_table(metric).filled(),
        sentences: metric
            .edges
            .iter()
            .take(super::table::MAX_ROWS)
            .map(|edge| edge.sentence.replace(" -> ", " \u{2192} "))
            .collect(),
        interactions: interaction_table(
            "Interactions, averaged over parallel faces",
            metric,
            &metric.interactions,
        )
        .filled(),
        figures: figures::of_metric(analysis, workload, metric),
        warnings: warnings(metric),
    }
}

/// Anchor and file name of a metric: letters, digits and hyphens only.
pub(super) fn id(workload: &WorkloadAnalysis, metric: &MetricAnalysis) -> String {
    figures::file_stem(&format!("{}-{}", metric.metric, workload.name))
}

fn warnings(metric: &MetricAnalysis) -> Vec<String> {
    let mut warnings = metric.warnings.clone();
    if let Some(clipping) = metric.clipping.as_ref().filter(|clipping| clipping.differs) {
        warnings.push(format!(
            "Cells differ in how often a run was clipped as an outlier ({}/{} runs in all, permutation p {}): typical \
             values flatter the cells with more clipped runs; compare the plain means in the appendix.",
            clipping.all.k,
            clipping.all.n,
            clipping.p.map_or_else(|| DASH.into(), number::p_value)
        ));
    }
    warnings
}

fn factor_table(metric: &MetricAnalysis) -> Table {
    let head =
        ["Factor", "Change", "Effect", "Interval", "Adj. p", "Edges", "Single edges", "tau", "Verdict"];
    Table::new(
        "Factor effects, pooled over parallel edges",
        &head,
        metric.factors.iter().map(|row| factor_row(metric, row)),
    )
}

fn factor_row(metric: &MetricAnalysis, finding: &FactorFinding) -> Vec<String> {
    let unit = delta_unit(metric);
    let precision = words::precision(finding.interval.as_ref());
    let shown = |value: Option<f64>| {
        value.map_or_else(|| DASH.into(), |value| number::change(value, precision, unit))
    };
    let verdict = if finding.withheld {
        "withheld: edges disagree".into()
    } else {
        finding
            .verdict
            .as_ref()
            .map_or_else(|| "no verdict".into(), |verdict| verdict_words(metric, verdict, precision))
    };
    vec![
        finding.factor.clone(),
        format!("{} \u{2192} {}", finding.from, finding.to),
        shown(finding.delta.filter(|_| !finding.withheld)),
        interval(metric, finding.interval.as_ref().filter(|_| !finding.withheld)),
        finding.adjusted_p.map_or_else(|| DASH.into(), number::p_value),
        finding.edges.to_string(),
        finding
            .range
            .filter(|_| finding.edges > 1)
            .map_or_else(|| DASH.into(), |[low, high]| number::range(low, high, precision, unit)),
        finding
            .tau
            .filter(|_| finding.edges > 1)
            .map_or_else(|| DASH.into(), |tau| number::with_unit(precision.plain(tau), unit)),
        verdict,
    ]
}

fn verdict_words(metric: &MetricAnalysis, verdict: &Verdict, precision: Precision) -> String {
    match verdict {
        Verdict::WithinNoise { up_to, .. } => {
            format!(
                "within noise; up to {} not ruled out",
                number::with_unit(precision.plain(up_to.abs()), delta_unit(metric))
            )
        }
        Verdict::Unresolved { reason } => format!("unresolved: {reason}"),
        other => other.word().into(),
    }
}

fn interval(metric: &MetricAnalysis, bounds: Option<&Bounds>) -> String {
    bounds.map_or_else(
        || DASH.into(),
        |bounds| number::range(bounds.low, bounds.high, words::precision(Some(bounds)), delta_unit(metric)),
    )
}

/// The table of edges; the heading of the interval says what it covers.
pub(super) fn edge_table(metric: &MetricAnalysis) -> Table {
    let bounds = metric.edges.iter().find_map(|edge| edge.interval.as_ref());
    let cover = bounds.map_or_else(
        || "Interval".into(),
        |bounds| {
            let kind = if metric.primary { "simultaneous interval" } else { "interval of this edge alone" };
            format!("{}\u{a0}% {kind}", words::level(bounds.level))
        },
    );
    let limit = if metric.resolution.is_some() { "Resolution" } else { "Noise floor" };
    let head = [
        "Field",
        "Change",
        "With",
        "Before",
        "After",
        "Difference",
        cover.as_str(),
        limit,
        "n",
        if metric.primary { "Adj. p" } else { "p" },
        "Verdict",
    ];
    let caption = if metric.primary {
        "Edges: one field varies, the rest is equal"
    } else {
        "Edges, exploratory: no verdict"
    };
    Table::new(caption, &head, metric.edges.iter().map(|edge| edge_row(metric, edge)))
}

fn edge_row(metric: &MetricAnalysis, edge: &EdgeFinding) -> Vec<String> {
    let unit = delta_unit(metric);
    let precision = words::precision(edge.interval.as_ref());
    let floor = edge.floor.map(|floor| number::with_unit(Precision::of_half_width(floor).plain(floor), unit));
    let n = match edge.changed {
        Some([up, down]) => {
            let [more, less] = change_names(metric);
            format!("{}: {up} {more}, {down} {less}", count(metric, edge.n))
        }
        None => count(metric, edge.n),
    };
    vec![
        edge.field.name().into(),
        format!("{} \u{2192} {}", edge.from, edge.to),
        if edge.at.is_empty() { DASH.into() } else { edge.at.clone() },
        cells::of_cell(metric, edge.before),
        cells::of_cell(metric, edge.after),
        edge.delta.map_or_else(|| DASH.into(), |delta| number::change(delta, precision, unit)),
        interval(metric, edge.interval.as_ref()),
        floor.map_or_else(|| DASH.into(), |floor| format!("\u{b1}{floor}")),
        n,
        edge.adjusted_p.or(edge.p).map_or_else(|| DASH.into(), number::p_value),
        edge_words(metric, edge),
    ]
}

/// Names of items whose score rose and of those whose score fell.
fn change_names(metric: &MetricAnalysis) -> [&'static str; 2] {
    if metric.direction == Direction::HigherIsBetter { ["better", "worse"] } else { ["up", "down"] }
}

fn count(metric: &MetricAnalysis, n: u32) -> String {
    use crate::compare::Replication::{Block, Item};
    match (metric.replication, n) {
        (Block, 1) => "1 block".into(),
        (Block, n) => format!("{n} blocks"),
        (Item, 1) => "1 item".into(),
        (Item, n) => format!("{n} items"),
    }
}

/// A table of interactions: averaged ones with verdicts, or single faces without.
pub(super) fn interaction_table(
    caption: &str,
    metric: &MetricAnalysis,
    findings: &[InteractionFinding],
) -> Table {
    let head =
        ["First step", "Second step", "With", "Faces", "Difference of differences", "Interval", "Verdict"];
    Table::new(caption, &head, findings.iter().map(|finding| interaction_row(metric, finding)))
}

fn interaction_row(metric: &MetricAnalysis, finding: &InteractionFinding) -> Vec<String> {
    let precision = words::precision(finding.interval.as_ref());
    let step = |[factor, from, to]: &[String; 3]| format!("{factor} {from} \u{2192} {to}");
    let verdict = finding.verdict.as_ref();
    vec![
        step(&finding.first),
        step(&finding.second),
        if finding.at.is_empty() { DASH.into() } else { finding.at.clone() },
        finding.faces.to_string(),
        finding
            .delta
            .map_or_else(|| DASH.into(), |delta| number::change(delta, precision, delta_unit(metric))),
        interval(metric, finding.interval.as_ref()),
        verdict.map_or_else(|| "exploratory".into(), |verdict| verdict_words(metric, verdict, precision)),
    ]
}
