//! The planned edges of an item metric as one family.

use super::arms::Arms;
use super::case::Case;
use super::decide::{beside_floor, decide};
use super::edge_family::{blank, changes_unit};
use super::edges::GuardedEdge;
use super::findings::{Bounds, EdgeFinding, MetricAnalysis};
use super::quality::ItemSeries;
use super::sentence::{edge_sentence, plain};
use super::spec::{Scale, Spec};
use super::verdict::{Reason, Verdict};
use crate::stats::{
    Cluster, Interval, JudgedClusters, Paired, cluster_delta, cluster_interval, judge_clusters, judge_pairs,
    least_one_way_flips, paired_resolution, unchanged_bound,
};

/// What the statistics say of one edge.
struct Outcome {
    delta: f64,
    p: f64,
    adjusted_p: Option<f64>,
    interval: Option<Interval>,
    /// Why there is no test.
    untestable: Option<Reason>,
}

/// Judges the edges of an item metric.
pub(super) fn judge_edges(
    case: &Case<'_>,
    arms: &Arms<'_>,
    edges: &[GuardedEdge],
    series: &ItemSeries<'_>,
) -> Vec<EdgeFinding> {
    let testable: Vec<&GuardedEdge> = edges.iter().filter(|edge| is_testable(edge, series)).collect();
    let outcomes =
        if series.binary { judge_binary(&testable, series) } else { judge_other(&testable, series) };
    let mut outcomes = outcomes.into_iter();
    edges
        .iter()
        .map(|edge| {
            let mut finding = blank(case, arms, edge, series.spec);
            if is_testable(edge, series) {
                if let Some(outcome) = outcomes.next() {
                    fill(&mut finding, edge, series, &outcome);
                }
            } else if finding.verdict.is_none() && series.primary {
                finding.verdict = Some(Verdict::Unresolved { reason: Reason::NothingMeasured });
            }
            finding.sentence = edge_sentence(series.spec, &finding);
            finding
        })
        .collect()
}

/// Licensed, one unit on both sides, and at least one item on both.
pub(super) fn is_testable(edge: &GuardedEdge, series: &ItemSeries<'_>) -> bool {
    edge.is_licensed() && !changes_unit(edge, series.spec) && series.paired(edge.from, edge.to).items > 0
}

fn judge_binary(edges: &[&GuardedEdge], series: &ItemSeries<'_>) -> Vec<Outcome> {
    let pairs: Vec<Paired> = edges.iter().map(|edge| series.paired(edge.from, edge.to)).collect();
    let judged = judge_pairs(&pairs, series.alpha);
    let outcome = |judged: crate::stats::JudgedPair| {
        let changed = judged.pair.discordant() as u32;
        let undecidable = judged.adjusted_p.is_none();
        let own = judged.pair.tango(series.alpha);
        Outcome {
            delta: judged.pair.delta(),
            p: judged.p,
            adjusted_p: judged.adjusted_p,
            interval: Some(if series.primary { judged.interval } else { own }),
            untestable: undecidable.then_some(Reason::TooFewChanged { changed }),
        }
    };
    judged.into_iter().map(outcome).collect()
}

fn judge_other(edges: &[&GuardedEdge], series: &ItemSeries<'_>) -> Vec<Outcome> {
    let clusters: Vec<_> = edges.iter().map(|edge| series.clusters(edge.from, edge.to)).collect();
    let judged = judge_clusters(&clusters, series.alpha, series.seed);
    let members = judged.iter().flatten().count();
    clusters.iter().zip(judged).map(|(clusters, judged)| other(clusters, judged, members, series)).collect()
}

fn other(
    clusters: &[Cluster],
    judged: Option<JudgedClusters>,
    members: usize,
    series: &ItemSeries<'_>,
) -> Outcome {
    let delta = cluster_delta(clusters);
    let Some(judged) = judged else {
        let reason = Reason::TooFewClusters { clusters: clusters.len() as u32 };
        return Outcome { delta, p: 1.0, adjusted_p: None, interval: None, untestable: Some(reason) };
    };
    let family = if series.primary { members } else { 1 };
    let untestable = too_few_changed(clusters, family, series.alpha);
    let interval =
        if series.primary { judged.interval } else { cluster_interval(clusters, series.alpha, series.seed) };
    Outcome {
        delta,
        p: judged.p,
        adjusted_p: Some(judged.adjusted_p).filter(|_| untestable.is_none()),
        interval: interval.filter(|_| untestable.is_none()),
        untestable,
    }
}

/// So few clusters changed that no pattern of signs could be significant; a bootstrap of them would know nothing of
/// the changes that did not happen to be drawn, so there is no interval either.
pub(super) fn too_few_changed(clusters: &[Cluster], members: usize, alpha: f64) -> Option<Reason> {
    let changed = clusters.iter().filter(|cluster| cluster.sum != 0.0).count();
    let enough = changed as u64 >= least_one_way_flips(members, alpha);
    (!enough).then_some(Reason::TooFewChanged { changed: changed as u32 })
}

fn fill(finding: &mut EdgeFinding, edge: &GuardedEdge, series: &ItemSeries<'_>, outcome: &Outcome) {
    let pair = series.paired(edge.from, edge.to);
    finding.n = pair.items as u32;
    finding.changed = series.binary.then_some([pair.gained as u32, pair.lost as u32]);
    finding.delta = Some(series.spec.scale.shown(outcome.delta));
    note_resolution(finding, series, pair);
    let shown = outcome.interval.map(|interval| series.shown(&interval, series.alpha, series.primary));
    finding.interval = shown;
    if pair.discordant() == 0 && series.spec.scale == Scale::Share {
        let bound = plain(100.0 * unchanged_bound(pair.items));
        finding.remarks.push(format!("no item changed: by itself, at 95 %, at most {bound} % would"));
    }
    if outcome.untestable.is_none() {
        finding.p = Some(outcome.p);
    }
    if series.primary {
        finding.adjusted_p = outcome.adjusted_p;
        let verdict = verdict(series, outcome, shown.as_ref());
        finding.verdict = Some(beside_floor(verdict, series.spec.scale, finding.delta, finding.floor));
    }
}

/// What so many items could show, the same ones on both sides; that it is nothing is said in words.
fn note_resolution(finding: &mut EdgeFinding, series: &ItemSeries<'_>, pair: Paired) {
    if series.spec.scale != Scale::Share || !series.binary {
        return;
    }
    match paired_resolution(pair.discordant(), pair.items) {
        Some(share) => finding.floor = Some(100.0 * share),
        None => finding.remarks.push("too few items: the resolution is more than 100 points".into()),
    }
}

fn verdict(series: &ItemSeries<'_>, outcome: &Outcome, shown: Option<&Bounds>) -> Verdict {
    if let Some(reason) = &series.blocked {
        return Verdict::Unresolved { reason: reason.clone() };
    }
    let decided = shown.map(|bounds| decide(bounds, series.margin));
    match (&outcome.untestable, decided) {
        // The interval answers equivalence also where no difference could have been established.
        (_, Some(equivalent @ Verdict::Equivalent { .. })) => equivalent,
        (Some(reason), _) => Verdict::Unresolved { reason: reason.clone() },
        (None, Some(decided)) => decided,
        (None, None) => Verdict::Unresolved {
            reason: Reason::Other { words: "all items differ by the same amount: no interval".into() },
        },
    }
}

/// Established differences below what two separate runs would show carry that remark.
pub(super) fn add_resolution_remarks(analysis: &mut MetricAnalysis) {
    let Some(unpaired) = analysis.resolution.as_ref().and_then(|resolution| resolution.unpaired) else {
        return;
    };
    let spec = Spec::of(&analysis.metric, None);
    for edge in &mut analysis.edges {
        let established = matches!(edge.verdict, Some(Verdict::Established { .. }));
        if established && edge.delta.is_some_and(|delta| delta.abs() < unpaired) {
            edge.remarks.push(format!(
                "below the unpaired resolution of {} points, seen by pairing",
                plain(unpaired)
            ));
            edge.sentence = edge_sentence(&spec, edge);
        }
    }
}
