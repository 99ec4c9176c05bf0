//! A metric whose unit is the item: quality, reply tokens, capped and unanswered shares.

use super::analysis::QualityResolution;
use super::arms::Arms;
use super::case::Case;
use super::decide::bounds;
use super::edges::GuardedEdge;
use super::findings::{Bounds, CellValue, CountOf, MetricAnalysis, Placebo};
use super::items::{ArmItems, arm_items, clusters, differences};
use super::sentence::plain;
use super::spec::{Scale, Spec};
use super::verdict::Reason;
use crate::stats::{
    Cluster, ExactResolution, Interval, Paired, bootstrap_t, cluster_delta, paired_resolution, resolution,
    sign_flip,
};
use std::fmt::Write as _;

/// The values of one item metric, ready for the statistics.
pub(super) struct ItemSeries<'a> {
    pub(super) spec: &'a Spec,
    pub(super) arms: Vec<ArmItems>,
    /// Right or wrong and not grouped (`McNemar`); else sign-flips of items or clusters.
    pub(super) binary: bool,
    pub(super) alpha: f64,
    pub(super) primary: bool,
    pub(super) margin: Option<[f64; 2]>,
    pub(super) blocked: Option<Reason>,
    pub(super) seed: u64,
}

impl ItemSeries<'_> {
    /// Items that are right on one side only.
    pub(super) fn paired(&self, from: usize, to: usize) -> Paired {
        let differences = differences(&self.arms[from], &self.arms[to]);
        let count = |sign: f64| differences.iter().filter(|(.., d)| d * sign > 0.0).count() as u64;
        Paired { items: differences.len() as u64, gained: count(1.0), lost: count(-1.0) }
    }

    pub(super) fn clusters(&self, from: usize, to: usize) -> Vec<Cluster> {
        clusters(differences(&self.arms[from], &self.arms[to]))
    }

    pub(super) fn shown(&self, interval: &Interval, error: f64, simultaneous: bool) -> Bounds {
        bounds(self.spec.scale, interval, error, simultaneous)
    }
}

/// Judges one item metric of a workload.
pub(super) fn judge_items(
    case: &Case<'_>,
    arms: &Arms<'_>,
    edges: &[GuardedEdge],
    spec: &Spec,
) -> MetricAnalysis {
    let items = arm_items(arms, &spec.name);
    let primary = case.primary_rank(&arms.planned.workload.name, &spec.name).is_some();
    let mut series = ItemSeries {
        spec,
        binary: items.iter().all(|arm| arm.is_binary() && !arm.is_grouped()),
        arms: items,
        alpha: if primary { case.alpha_of_one() } else { case.alpha },
        primary,
        margin: case.margin(&spec.name).map(|fraction| spec.scale.margin(fraction)),
        blocked: None,
        seed: case.seed,
    };
    let placebo = placebo(case, arms, &series);
    series.blocked = placebo.as_ref().filter(|placebo| placebo.failed).map(|_| Reason::PlaceboFailed);
    let findings = super::quality_edges::judge_edges(case, arms, edges, &series);
    let (interactions, faces) = super::quality_pooled::judge_interactions(case, arms, edges, &series);
    let baseline = arms.arm(case.baseline());
    let mut analysis = MetricAnalysis {
        n: baseline.map_or(0, |arm| series.arms[arm].values.len() as u32),
        cells: (0..arms.planned.arms.len()).map(|arm| cell_value(arms, &series, arm)).collect(),
        factors: super::quality_pooled::judge_factors(case, arms, edges, &findings, &series),
        interactions,
        faces,
        placebo,
        resolution: if spec.name == "quality" {
            quality_resolution(case, arms, edges, &series)
        } else {
            None
        },
        did_not_vary: nothing_changes(edges, &series),
        ..MetricAnalysis::empty(spec, primary, series.alpha, series.margin)
    };
    analysis.edges = findings;
    super::quality_edges::add_resolution_remarks(&mut analysis);
    analysis.warnings = warnings(arms, &series);
    analysis
}

fn nothing_changes(edges: &[GuardedEdge], series: &ItemSeries<'_>) -> bool {
    let unchanged = |edge: &GuardedEdge| {
        differences(&series.arms[edge.from], &series.arms[edge.to]).iter().all(|(.., d)| *d == 0.0)
    };
    let mut licensed = edges.iter().filter(|edge| edge.is_licensed()).peekable();
    licensed.peek().is_some() && licensed.all(unchanged)
}

fn placebo(case: &Case<'_>, arms: &Arms<'_>, series: &ItemSeries<'_>) -> Option<Placebo> {
    let control = arms.control()?;
    let cell = arms.planned.arms.get(control).copied()?;
    let baseline = arms.arm(cell)?;
    let error = 0.05 / case.primary_count() as f64;
    let clusters = series.clusters(baseline, control);
    if clusters.is_empty() {
        return None;
    }
    let (delta, p, interval) = if series.binary {
        let pair = series.paired(baseline, control);
        (pair.delta(), pair.mcnemar_exact(), pair.tango(error))
    } else {
        let delta = cluster_delta(&clusters);
        let sums: Vec<f64> = clusters.iter().map(|cluster| cluster.sum).collect();
        let point = Interval { low: delta, high: delta, open_at_zero: false };
        let interval = bootstrap_t(&clusters, error, series.seed).unwrap_or(point);
        (delta, sign_flip(&sums, series.seed), interval)
    };
    Some(Placebo {
        cell,
        delta: series.spec.scale.shown(delta),
        interval: series.shown(&interval, error, false),
        p,
        failed: p < error,
    })
}

fn cell_value(arms: &Arms<'_>, series: &ItemSeries<'_>, arm: usize) -> CellValue {
    let items = &series.arms[arm];
    let n = items.values.len() as u32;
    let right = items.values.values().filter(|item| item.is(1.0)).count() as u32;
    let is_count = series.spec.scale == Scale::Share && items.is_binary() && n > 0;
    let reason = match (n, arms.runs_of(arm).next()) {
        (0, None) => Some("no finished run".to_owned()),
        (0, Some(record)) => {
            let measured = record.measurement.get(&series.spec.name);
            Some(measured.and_then(|it| it.reason.clone()).unwrap_or_else(|| "not measured".into()))
        }
        _ => None,
    };
    CellValue {
        cell: arms.planned.arms.get(arm).copied().unwrap_or(0),
        control: arms.control() == Some(arm),
        value: items.mean(),
        plain_mean: None,
        range: None,
        n,
        clipped: None,
        count: is_count.then_some(CountOf { k: right, n }),
        reason,
    }
}

/// The smallest quality difference that this task set can show, at the baseline's quality.
fn quality_resolution(
    case: &Case<'_>,
    arms: &Arms<'_>,
    edges: &[GuardedEdge],
    series: &ItemSeries<'_>,
) -> Option<QualityResolution> {
    let items = &series.arms[arms.arm(case.baseline())?];
    let (n, at) = (items.values.len() as u64, items.mean()?);
    let licensed: Vec<&GuardedEdge> = edges.iter().filter(|edge| edge.is_licensed()).collect();
    let found = resolution(at, n, licensed.len().max(1), series.alpha);
    let discordant: Vec<f64> =
        licensed.iter().map(|edge| series.paired(edge.from, edge.to).discordant() as f64).collect();
    let paired = crate::stats::mean(&discordant).and_then(|mean| paired_resolution(mean.round() as u64, n));
    let exact = match found.exact {
        Some(ExactResolution::Share(share)) => Some(100.0 * share),
        _ => None,
    };
    let mut resolution = QualityResolution {
        n: n as u32,
        at,
        unpaired: found.unpaired.map(|share| 100.0 * share),
        paired: paired.map(|share| 100.0 * share),
        below_formula_size: !found.formula_holds,
        exact,
        sentence: String::new(),
    };
    resolution.sentence = resolution_sentence(&resolution);
    Some(resolution)
}

fn resolution_sentence(found: &QualityResolution) -> String {
    let items = if found.n == 1 { "1 item".to_owned() } else { format!("{} items", found.n) };
    let verb = if found.n == 1 { "resolves" } else { "resolve" };
    let smallest = match found.unpaired {
        Some(points) => format!("{points:.0} points between two separate runs"),
        None => "nothing between two separate runs: it would take more than 100 points".into(),
    };
    let mut text = format!("{items} at {:.0} % right {verb} {smallest}", 100.0 * found.at);
    if found.below_formula_size {
        let exact = match found.exact {
            Some(exact) => format!("{exact:.0} points if all changes go one way"),
            None => "never, in a family of this size".into(),
        };
        let _ = write!(text, " (below the size where the formula holds; exactly: {exact})");
    }
    if let Some(paired) = found.paired {
        let _ = write!(text, ", {} points item by item", plain(paired));
    }
    text
}

fn warnings(arms: &Arms<'_>, series: &ItemSeries<'_>) -> Vec<String> {
    let differing: Vec<String> = series
        .arms
        .iter()
        .enumerate()
        .filter(|(_, items)| items.differing() > 0)
        .map(|(arm, items)| format!("{} ({} items)", arms.names[arm], items.differing()))
        .collect();
    if differing.is_empty() {
        return Vec::new();
    }
    vec![format!("repeat differs: values were averaged over the runs of {}", differing.join(", "))]
}
