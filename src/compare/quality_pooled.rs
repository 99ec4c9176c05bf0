//! Factor effects and interactions of an item metric: each item's differences are averaged over parallel edges first,
//! so that the item (or its cluster) stays the unit.

use super::arms::Arms;
use super::case::Case;
use super::decide::decide;
use super::edge_family::changes_unit;
use super::edges::GuardedEdge;
use super::factors::{Step, blank_factor, parallel_edges};
use super::findings::{Bounds, EdgeFinding, Faces, FactorFinding, InteractionFinding};
use super::interactions::{blank, faces_by_pair};
use super::items::{clusters, differences};
use super::quality::ItemSeries;
use super::quality_edges::{is_testable, too_few_changed};
use super::sentence::{factor_sentence, interaction_sentence};
use super::verdict::{Reason, Verdict};
use crate::stats::{Cluster, JudgedClusters, cluster_delta, cluster_interval, judge_clusters, variance};
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
    let members = judged.iter().flatten().count();
    steps
        .iter()
        .zip(usable)
        .zip(pooled.iter().zip(judged))
        .map(|(((step, parallel), usable), (pooled, judged))| {
            let mut finding = blank_factor(case, *step, parallel, series.spec);
            if !usable.is_empty() {
                let spread = Spread::of(&usable, findings, series, cluster_delta(pooled));
                let test = Test::of(pooled, judged, members, series, series.alpha);
                let test = test.or_from_edges(&usable, findings, series).within(series.spec.scale.limit());
                fill_factor(&mut finding, &spread, &test, series);
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
        let opposed = usable.iter().filter_map(|edge| finding_of(findings, edge)).any(|it| {
            let established = matches!(it.verdict, Some(Verdict::Established { .. }));
            established && it.delta.is_some_and(|delta| delta * pooled < 0.0)
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

/// What the statistics say of one pooled contrast.
struct Test {
    delta: f64,
    p: Option<f64>,
    adjusted_p: Option<f64>,
    interval: Option<Bounds>,
    untestable: Option<Reason>,
}

impl Test {
    fn of(
        pooled: &[Cluster],
        judged: Option<JudgedClusters>,
        members: usize,
        series: &ItemSeries<'_>,
        alpha: f64,
    ) -> Self {
        let family = if series.primary { members } else { 1 };
        let untestable = match judged {
            None => Some(Reason::TooFewClusters { clusters: pooled.len() as u32 }),
            Some(_) => too_few_changed(pooled, family, alpha),
        };
        let judged = judged.filter(|_| untestable.is_none());
        let interval = judged.and_then(|judged| {
            if series.primary { judged.interval } else { cluster_interval(pooled, alpha, series.seed) }
        });
        Self {
            delta: series.spec.scale.shown(cluster_delta(pooled)),
            p: judged.map(|judged| judged.p),
            adjusted_p: judged.map(|judged| judged.adjusted_p).filter(|_| series.primary),
            interval: interval.map(|interval| series.shown(&interval, alpha, series.primary)),
            untestable,
        }
    }

    /// Without an interval of its own, the mean of the edges' simultaneous ones: it holds whenever they all do.
    fn or_from_edges(
        self,
        usable: &[&GuardedEdge],
        findings: &[EdgeFinding],
        series: &ItemSeries<'_>,
    ) -> Self {
        if self.interval.is_some() || !series.primary {
            return self;
        }
        let own: Option<Vec<Bounds>> =
            usable.iter().map(|edge| finding_of(findings, edge).and_then(|it| it.interval)).collect();
        let interval = own.filter(|own| !own.is_empty()).map(|own| {
            let mean = |end: fn(&Bounds) -> f64| own.iter().map(end).sum::<f64>() / own.len() as f64;
            let (low, high) = (mean(|it| it.low).min(0.0), mean(|it| it.high).max(0.0));
            Bounds { low, high, open_at_zero: false, ..own[0] }
        });
        Self { interval, ..self }
    }

    /// A bootstrap knows nothing of the largest difference that there can be.
    fn within(self, limit: f64) -> Self {
        let cut = |it: Bounds| Bounds { low: it.low.max(-limit), high: it.high.min(limit), ..it };
        Self { interval: self.interval.map(cut), ..self }
    }

    /// The interval answers equivalence also where no difference could have been established.
    fn verdict(&self, series: &ItemSeries<'_>, margin: Option<[f64; 2]>) -> Verdict {
        if let Some(reason) = &series.blocked {
            return Verdict::Unresolved { reason: reason.clone() };
        }
        let decided = self.interval.as_ref().map(|bounds| decide(bounds, margin));
        match (&self.untestable, decided) {
            (_, Some(equivalent @ Verdict::Equivalent { .. })) => equivalent,
            (Some(reason), _) => Verdict::Unresolved { reason: reason.clone() },
            (None, Some(decided)) => decided,
            (None, None) => Verdict::Unresolved {
                reason: Reason::Other { words: "all items differ by the same amount: no interval".into() },
            },
        }
    }
}

fn finding_of<'f>(findings: &'f [EdgeFinding], edge: &GuardedEdge) -> Option<&'f EdgeFinding> {
    findings.iter().find(|it| it.before == edge.edge.before && it.after == edge.edge.after)
}

fn fill_factor(finding: &mut FactorFinding, spread: &Spread, test: &Test, series: &ItemSeries<'_>) {
    let scale = series.spec.scale;
    finding.edges = spread.edges as u32;
    finding.range = Some(spread.range.map(|end| scale.shown(end)));
    finding.tau = Some(scale.shown(spread.tau));
    finding.heterogeneity_p = Some(spread.p);
    finding.withheld = spread.withheld;
    finding.p = test.p;
    finding.adjusted_p = test.adjusted_p;
    if !spread.withheld {
        finding.delta = Some(test.delta);
        finding.interval = test.interval;
    }
    if series.primary {
        finding.verdict = Some(if spread.withheld && series.blocked.is_none() {
            Verdict::Unresolved { reason: Reason::EdgesDisagree }
        } else {
            test.verdict(series, series.margin)
        });
    }
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
    let members = judged.iter().flatten().count();
    let error = if series.primary { alpha } else { series.alpha };
    let interactions = pairs
        .iter()
        .zip(pooled.iter().zip(judged))
        .map(|(((first, second), faces), (pooled, judged))| {
            let test = Test::of(pooled, judged, members, series, error);
            average(case, (*first, *second), faces.len(), &test, series)
        })
        .collect();
    let total = pairs.values().map(Vec::len).sum::<usize>() as u32;
    (interactions, Faces { total, listed: super::quality_faces::single_faces(case, arms, &pairs, series) })
}

fn average(
    case: &Case<'_>,
    (first, second): (Step, Step),
    faces: usize,
    test: &Test,
    series: &ItemSeries<'_>,
) -> InteractionFinding {
    let mut finding = InteractionFinding {
        delta: Some(test.delta),
        interval: test.interval,
        p: test.p,
        adjusted_p: test.adjusted_p,
        verdict: series.primary.then(|| test.verdict(series, None)),
        ..blank(case, first, second, faces)
    };
    finding.sentence = interaction_sentence(series.spec, &finding);
    finding
}
