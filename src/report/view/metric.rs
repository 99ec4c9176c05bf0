//! One metric: its factor effects, its edges, its interactions and its pictures.

use super::cells;
use super::figures::{self, Figure};
use super::summary::heading;
use super::table::Table;
use super::{Frame, scope};
use crate::compare::{
    Analysis, Bounds, Direction, EdgeFinding, FactorFinding, InteractionFinding, MetricAnalysis, Replication,
    Verdict, WorkloadAnalysis,
};
use crate::report::names;
use crate::report::number::{self, Precision};
use crate::report::words::{self, delta_unit, edge_words, grounds, precision};
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
    /// What it was measured on.
    pub scope: String,
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
pub(super) fn section(
    frame: &Frame,
    analysis: &Analysis,
    workload: &WorkloadAnalysis,
    metric: &MetricAnalysis,
) -> Section {
    Section {
        id: id(workload, metric),
        title: heading(workload, metric),
        short: format!("{} ({})", words::capital(names::words(metric)), workload.name),
        scope: scope::scope(frame, analysis, workload),
        grounds: grounds(workload, metric),
        factors: factor_table(metric).filled(),
        edges: edge_table(metric).filled(),
        sentences: metric
            .edges
            .iter()
            .take(super::table::MAX_ROWS)
            .map(|edge| edge.sentence.clone())
            .collect(),
        interactions: interaction_table(
            "Interactions, averaged over parallel faces",
            metric,
            &metric.interactions,
        )
        .filled(),
        figures: figures::of_metric(&scope::origin(frame, analysis, workload), analysis, workload, metric),
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
            "Cells differ in how often a run was clipped relative to its block ({}/{} runs in all, permutation p {}): typical \
             values flatter the cells with more clipped runs; compare the plain means in the appendix.",
            clipping.all.k,
            clipping.all.n,
            clipping.p.map_or_else(|| DASH.into(), number::p_value)
        ));
    }
    warnings
}

fn factor_table(metric: &MetricAnalysis) -> Table {
    let p = p_heading(metric);
    let cover = interval_heading(metric.factors.iter().find_map(|finding| finding.interval.as_ref()));
    let head = ["Step", "Verdict", "Effect", cover.as_str(), p.as_str(), "Edges", "Single edges", "tau"];
    Table::new(
        "Factor effects, pooled over parallel edges",
        &head,
        metric.factors.iter().map(|row| factor_row(metric, row)),
    )
}

/// The heading of p names the threshold that it is read against.
fn p_heading(metric: &MetricAnalysis) -> String {
    if metric.primary {
        format!("Adj. p (established below {})", number::trimmed(metric.alpha))
    } else {
        "p".into()
    }
}

fn factor_row(metric: &MetricAnalysis, finding: &FactorFinding) -> Vec<String> {
    let unit = delta_unit(metric);
    let precision = precision(metric, finding.interval.as_ref(), finding.delta);
    let several = finding.edges > 1;
    let range =
        finding.range.filter(|_| several).map(|[low, high]| number::range(low, high, precision, unit));
    let tau = finding.tau.filter(|_| several).map(|tau| number::with_unit(precision.plain(tau), unit));
    vec![
        format!("{} {} \u{2192} {}", finding.factor, finding.from, finding.to),
        factor_verdict(metric, finding),
        or_dash(
            finding.delta.filter(|_| !finding.withheld).map(|delta| difference(metric, delta, precision)),
        ),
        interval(metric, finding.interval.as_ref().filter(|_| !finding.withheld), finding.delta),
        or_dash(finding.adjusted_p.map(number::p_value)),
        finding.edges.to_string(),
        or_dash(range),
        or_dash(tau),
    ]
}

fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| DASH.into())
}

/// A change with its sign; a large one also as a multiple.
fn difference(metric: &MetricAnalysis, delta: f64, precision: Precision) -> String {
    let change = number::change(delta, precision, delta_unit(metric));
    match words::multiple(metric, delta) {
        Some(times) => format!("{change} ({:.*}\u{a0}times)", usize::from(times < 10.0), times),
        None => change,
    }
}

fn factor_verdict(metric: &MetricAnalysis, finding: &FactorFinding) -> String {
    if finding.withheld {
        return match &finding.split {
            Some(split) => format!("edges disagree: depends on {}", split.by),
            None => "edges disagree: effect withheld".into(),
        };
    }
    let precision = precision(metric, finding.interval.as_ref(), finding.delta);
    finding
        .verdict
        .as_ref()
        .map_or_else(|| "no verdict".into(), |verdict| verdict_words(metric, verdict, precision))
}

fn verdict_words(metric: &MetricAnalysis, verdict: &Verdict, precision: Precision) -> String {
    let shown = |size: f64| number::with_unit(precision.plain(size.abs()), delta_unit(metric));
    match verdict {
        Verdict::WithinNoise { up_to, .. } => {
            format!("{}; up to {} not ruled out", verdict.word(), shown(*up_to))
        }
        Verdict::Equivalent { margin } => {
            format!(
                "equivalent within \u{b1}{}",
                number::with_unit(number::trimmed(*margin), delta_unit(metric))
            )
        }
        Verdict::Unresolved { reason } => format!("unresolved: {reason}"),
        other => other.word().into(),
    }
}

fn interval(metric: &MetricAnalysis, bounds: Option<&Bounds>, delta: Option<f64>) -> String {
    or_dash(bounds.map(|bounds| words::ends(metric, bounds, delta)))
}

/// The table of edges; the heading of the interval says what it covers.
pub(super) fn edge_table(metric: &MetricAnalysis) -> Table {
    let cover = interval_heading(metric.edges.iter().find_map(|edge| edge.interval.as_ref()));
    let p = p_heading(metric);
    let head = [
        "Step",
        "With",
        "Verdict",
        "Difference",
        cover.as_str(),
        "Before",
        "After",
        limit_heading(metric),
        n_heading(metric),
        p.as_str(),
    ];
    let caption = if metric.primary {
        "Edges: one field varies, the rest is equal"
    } else {
        "Edges, exploratory: no verdict"
    };
    Table::new(caption, &head, metric.edges.iter().map(|edge| edge_row(metric, edge)))
}

/// The heading of a column of intervals: their level, and what it covers.
fn interval_heading(bounds: Option<&Bounds>) -> String {
    bounds.map_or_else(
        || "Interval".into(),
        |bounds| {
            let kind = if bounds.simultaneous { "simultaneous interval" } else { "interval, each alone" };
            format!("{}\u{a0}% {kind}", words::level(bounds.level))
        },
    )
}

/// What the column of floors holds: it is no part of the verdict.
fn limit_heading(metric: &MetricAnalysis) -> &'static str {
    match metric.replication {
        Replication::Item => "Resolution (this edge alone, seen 4 times in 5)",
        Replication::Block => "Noise floor (typical, all arms pooled)",
    }
}

fn edge_row(metric: &MetricAnalysis, edge: &EdgeFinding) -> Vec<String> {
    let precision = precision(metric, edge.interval.as_ref(), edge.delta);
    let n = match edge.changed {
        Some([up, down]) => format!("+{up} \u{2212}{down} of {}", edge.n),
        None => count(metric, edge.n),
    };
    vec![
        format!("{} {} \u{2192} {}", edge.field.name(), edge.from, edge.to),
        or_dash(Some(edge.at.clone()).filter(|at| !at.is_empty())),
        edge_words(metric, edge),
        or_dash(edge.delta.map(|delta| difference(metric, delta, precision))),
        interval(metric, edge.interval.as_ref(), edge.delta),
        cells::of_cell(metric, edge.before),
        cells::of_cell(metric, edge.after),
        or_dash(edge.floor.map(|floor| format!("\u{b1}{}", floor_words(metric, floor)))),
        n,
        or_dash(edge.adjusted_p.or(edge.p).map(number::p_value)),
    ]
}

fn floor_words(metric: &MetricAnalysis, floor: f64) -> String {
    let precision = match metric.replication {
        Replication::Item => precision(metric, None, Some(floor)),
        Replication::Block => Precision::of_half_width(floor),
    };
    number::with_unit(precision.plain(floor), delta_unit(metric))
}

/// What the column of n holds: where items are right or wrong, those that changed.
fn n_heading(metric: &MetricAnalysis) -> &'static str {
    let counted = metric.edges.iter().any(|edge| edge.changed.is_some());
    match (counted, metric.direction) {
        (false, _) => "n",
        (true, Direction::HigherIsBetter) => "Items better, worse",
        (true, _) => "Items up, down",
    }
}

fn count(metric: &MetricAnalysis, n: u32) -> String {
    use Replication::{Block, Item};
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
    let cover = interval_heading(findings.iter().find_map(|finding| finding.interval.as_ref()));
    let cover = cover.as_str();
    let head = ["First step", "Second step", "Verdict", "Difference of differences", cover, "With", "Faces"];
    Table::new(caption, &head, findings.iter().map(|finding| interaction_row(metric, finding)))
}

fn interaction_row(metric: &MetricAnalysis, finding: &InteractionFinding) -> Vec<String> {
    let precision = precision(metric, finding.interval.as_ref(), finding.delta);
    let step = |[factor, from, to]: &[String; 3]| format!("{factor} {from} \u{2192} {to}");
    let verdict = finding.verdict.as_ref();
    vec![
        step(&finding.first),
        step(&finding.second),
        verdict.map_or_else(|| "exploratory".into(), |verdict| verdict_words(metric, verdict, precision)),
        or_dash(finding.delta.map(|delta| number::change(delta, precision, delta_unit(metric)))),
        interval(metric, finding.interval.as_ref(), finding.delta),
        or_dash(Some(finding.at.clone()).filter(|at| !at.is_empty())),
        finding.faces.to_string(),
    ]
}
