//! Factor effects and interactions of an item metric: each item's differences are averaged over parallel edges first,
//! so that the item (or its cluster) stays the unit.

use super::arms::Arms;
use super::case::Case;
use super::decide::decide;
use super::edge_family::changes_unit;
use super::edges::GuardedEdge;
use super::factors::{Step, blank_factor, parallel_edges};
use super::findings::{EdgeFinding, Faces, FactorFinding, InteractionFinding};
use super::interactions::{blank, faces_by_pair};
use super::items::{clusters, differences};
use super::quality::ItemSeries;
use super::quality_edges::is_testable;
use super::sentence::{factor_sentence, interaction_sentence};
use super::verdict::{Reason, Verdict};
use crate::stats::{
    Cluster, JudgedClusters, MIN_CLUSTERS, bootstrap_t, cluster_delta, judge_clusters, variance,
};
use statrs::distribution::{ChiSquared, ContinuousCDF};
use std::collections::BTreeMap;

/// Weighted arm pairs `(from, to, weight)` whose differences are added up item by item.
type Contrast = Vec<(usize, usize, f64)>;

/// The clusters of a contrast, over items that are on every side of it.
fn contrast_clusters(series: &ItemSeries<'_>, contrast: &Contrast) -> Vec<Cluster> {
    let mut sums: BTreeMap<&str, (Option<&str>, f64, usize)> = BTreeMap::new();
    for &(from, to, weight) in contrast {
        for (id, group, difference) in differences(&series.arms[from], &series.arms[to]) {
            let entry = sums.entry(id).or_insert((group, 0.0, 0));
            entry.1 += weight * difference;
            entry.2 += 1;
        }
    }
    let complete = sums.into_iter().filter(|(_, (.., pairs))| *pairs == contrast.len());
    clusters(complete.map(|(id, (group, sum, _))| (id, group, sum)))
}

/// Judges all steps as one family.
pub(super) fn judge_factors(
    case: &Case<'_>,
    arms: &Arms<'_>,
    edges: &[GuardedEdge],
    findings: &[EdgeFinding],
    series: &ItemSeries<'_>,
) -> Vec<FactorFinding> {
    debug_assert_eq!(arms.planned.arms.len(), series.arms.len(), "one set of items an arm");
    let steps = parallel_edges(case, edges);
    let usable: Vec<Vec<&GuardedEdge>> = steps
        .values()
        .map(|parallel| parallel.iter().copied().filter(|edge| is_testable(edge, series)).collect())
        .collect();
    let contrasts: Vec<Contrast> = usable
        .iter()
        .map(|parallel| {
            let share = 1.0 / parallel.len().max(1) as f64;
            parallel.iter().map(|edge| (edge.from, edge.to, share)).collect()
        })
        .collect();
    let pooled: Vec<Vec<Cluster>> =
        contrasts.iter().map(|contrast| contrast_clusters(series, contrast)).collect();
    let judged = judge_clusters(&pooled, series.alpha, series.seed);
    steps
        .iter()
        .zip(usable)
        .zip(pooled.iter().zip(judged))
        .map(|(((step, parallel), usable), (pooled, judged))| {
            let mut finding = blank_factor(case, *step, parallel, series.spec);
            if !usable.is_empty() {
                let spread = Spread::of(&usable, findings, series, cluster_delta(pooled));
                fill_factor(&mut finding, &spread, pooled, judged, series);
            }
            finding.sentence = factor_sentence(series.spec, &finding);
            finding
        })
        .collect()
}

/// How the parallel edges spread around their pooled effect.
struct Spread {
    edges: usize,
    range: [f64; 2],
    tau: f64,
    p: f64,
    withheld: bool,
}

impl Spread {
    /// Cochran's chi-square over the edges' own item variances. The edges share their items, which makes their
    /// differences more alike than the test assumes: it errs on the side of agreement.
    fn of(usable: &[&GuardedEdge], findings: &[EdgeFinding], series: &ItemSeries<'_>, pooled: f64) -> Self {
        let singles: Vec<(f64, f64)> = usable.iter().map(|edge| delta_and_noise(edge, series)).collect();
        let deltas: Vec<f64> = singles.iter().map(|single| single.0).collect();
        let center = crate::stats::mean(&deltas).unwrap_or(0.0);
        let statistic: f64 = singles.iter().map(|(delta, noise)| (delta - center).powi(2) / noise).sum();
        let p = ChiSquared::new(singles.len() as f64 - 1.0).map_or(1.0, |chi| chi.sf(statistic));
        let noise: Vec<f64> = singles.iter().map(|single| single.1).collect();
        let excess = variance(&deltas).unwrap_or(0.0) - crate::stats::mean(&noise).unwrap_or(0.0);
        let tau = excess.max(0.0).sqrt();
        let opposed = usable.iter().any(|edge| {
            findings.iter().filter(|it| it.before == edge.edge.before && it.after == edge.edge.after).any(
                |it| {
                    let established = matches!(it.verdict, Some(Verdict::Established { .. }));
                    established && it.delta.is_some_and(|delta| delta * pooled < 0.0)
                },
            )
        });
        Self {
            edges: usable.len(),
            range: [
                deltas.iter().copied().fold(f64::INFINITY, f64::min),
                deltas.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            ],
            tau,
            p,
            withheld: p < 0.05 && (opposed || tau > pooled.abs() / 2.0),
        }
    }
}

/// An edge's mean difference and the variance of that mean; one pseudo-change keeps it above zero.
fn delta_and_noise(edge: &GuardedEdge, series: &ItemSeries<'_>) -> (f64, f64) {
    let differences: Vec<f64> =
        differences(&series.arms[edge.from], &series.arms[edge.to]).iter().map(|(.., d)| *d).collect();
    let n = differences.len() as f64;
    let delta = differences.iter().sum::<f64>() / n;
    let squares: f64 = differences.iter().map(|d| (d - delta).powi(2)).sum();
    (delta, (squares + 1.0) / (n * (n - 1.0).max(1.0)))
}

fn fill_factor(
    finding: &mut FactorFinding,
    spread: &Spread,
    pooled: &[Cluster],
    judged: Option<JudgedClusters>,
    series: &ItemSeries<'_>,
) {
    let scale = series.spec.scale;
    finding.edges = spread.edges as u32;
    finding.range = Some(spread.range.map(|end| scale.shown(end)));
    finding.tau = Some(scale.shown(spread.tau));
    finding.heterogeneity_p = Some(spread.p);
    finding.withheld = spread.withheld;
    finding.p = judged.map(|judged| judged.p);
    let interval = interval(judged, pooled, series, series.alpha);
    let shown = interval.map(|interval| series.shown(&interval, series.alpha, series.primary));
    if !spread.withheld {
        finding.delta = Some(scale.shown(cluster_delta(pooled)));
        finding.interval = shown;
    }
    if !series.primary {
        return;
    }
    finding.adjusted_p = judged.map(|judged| judged.adjusted_p);
    let reason = match (&series.blocked, spread.withheld) {
        (Some(reason), _) => Some(reason.clone()),
        (None, true) => Some(Reason::EdgesDisagree),
        (None, false) if judged.is_none() => Some(too_few(pooled)),
        _ => None,
    };
    finding.verdict = Some(match (reason, shown) {
        (Some(reason), _) => Verdict::Unresolved { reason },
        (None, Some(shown)) => decide(&shown, series.margin),
        (None, None) => Verdict::Unresolved { reason: nothing_changed(pooled) },
    });
}

fn too_few(pooled: &[Cluster]) -> Reason {
    debug_assert!(pooled.len() < MIN_CLUSTERS, "judged unless there are too few");
    Reason::TooFewClusters { clusters: pooled.len() as u32 }
}

fn nothing_changed(pooled: &[Cluster]) -> Reason {
    let changed = pooled.iter().filter(|cluster| cluster.sum != 0.0).count() as u32;
    Reason::TooFewChanged { changed }
}

fn interval(
    judged: Option<JudgedClusters>,
    pooled: &[Cluster],
    series: &ItemSeries<'_>,
    alpha: f64,
) -> Option<crate::stats::Interval> {
    if series.primary { judged?.interval } else { bootstrap_t(pooled, alpha, series.seed) }
}

/// The averaged interactions as one family at half the alpha, and the single faces, exploratory.
pub(super) fn judge_interactions(
    case: &Case<'_>,
    arms: &Arms<'_>,
    edges: &[GuardedEdge],
    series: &ItemSeries<'_>,
) -> (Vec<InteractionFinding>, Faces) {
    let usable: Vec<&GuardedEdge> =
        edges.iter().filter(|edge| is_testable(edge, series) && !changes_unit(edge, series.spec)).collect();
    let pairs = faces_by_pair(case, arms, edges, &usable);
    let pooled: Vec<Vec<Cluster>> = pairs
        .values()
        .map(|faces| {
            let share = 1.0 / faces.len() as f64;
            let contrast = faces.iter().flat_map(|face| {
                [(face.face.second, face.face.both, share), (face.face.base, face.face.first, -share)]
            });
            contrast_clusters(series, &contrast.collect())
        })
        .collect();
    let alpha = series.alpha / 2.0;
    let judged = judge_clusters(&pooled, alpha, series.seed);
    let interactions = pairs
        .iter()
        .zip(pooled.iter().zip(judged))
        .map(|(((first, second), faces), (pooled, judged))| {
            average(case, (*first, *second), faces.len(), pooled, judged, series)
        })
        .collect();
    let total = pairs.values().map(Vec::len).sum::<usize>() as u32;
    (interactions, Faces { total, listed: super::quality_faces::single_faces(case, arms, &pairs, series) })
}

fn average(
    case: &Case<'_>,
    (first, second): (Step, Step),
    faces: usize,
    pooled: &[Cluster],
    judged: Option<JudgedClusters>,
    series: &ItemSeries<'_>,
) -> InteractionFinding {
    let alpha = if series.primary { series.alpha / 2.0 } else { series.alpha };
    let shown = interval(judged, pooled, series, alpha)
        .map(|interval| series.shown(&interval, alpha, series.primary));
    let mut finding = blank(case, first, second, faces);
    finding.delta = Some(series.spec.scale.shown(cluster_delta(pooled)));
    finding.interval = shown;
    finding.p = judged.map(|judged| judged.p);
    if series.primary {
        finding.adjusted_p = judged.map(|judged| judged.adjusted_p);
        finding.verdict = Some(match (&series.blocked, shown) {
            (Some(reason), _) => Verdict::Unresolved { reason: reason.clone() },
            (None, Some(shown)) => decide(&shown, None),
            (None, None) => Verdict::Unresolved { reason: nothing_changed(pooled) },
        });
    }
    finding.sentence = interaction_sentence(series.spec, &finding);
    finding
}
