//! Differences per block, item or cluster: the sign-flip test and the bootstrap-t interval (method, lines
//! 18 and 22).

use rand::RngCore;

use super::family::{Interval, holm, interval_errors};
use super::order::{below, generator};
use super::paired::Paired;
use super::summary::quantile;

/// Fewer clusters than this cannot reach p < .05 by flipping signs (2 / 2^5 is more).
pub const MIN_CLUSTERS: usize = 6;
/// Up to this many non-zero differences every pattern of signs is tried.
const EXACT_UP_TO: usize = 12;
const FLIPS: u32 = 10_000;
const RESAMPLES: usize = 10_000;

/// Two-sided sign-flip p of a sum of independent differences (Fisher 1935): the share of sign patterns
/// whose absolute sum is at least the observed one.
///
/// Exact up to 12 non-zero differences, else from 10,000 random patterns and the observed one. 1 when
/// nothing differs. For blocks it is exact whatever the noise, because their order was drawn at random.
pub fn sign_flip(differences: &[f64], seed: u64) -> f64 {
    let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).filter(|&size| size > 0.0).collect();
    let observed = differences.iter().sum::<f64>().abs();
    let reached = observed - 1e-9 * sizes.iter().sum::<f64>();
    if sizes.len() <= EXACT_UP_TO {
        exact_share(&sizes, reached)
    } else {
        sampled_share(&sizes, reached, seed)
    }
}

fn exact_share(sizes: &[f64], reached: f64) -> f64 {
    let patterns = 1_u64 << sizes.len();
    let extreme = (0..patterns).filter(|&pattern| flipped_sum(sizes, pattern).abs() >= reached).count();
    extreme as f64 / patterns as f64
}

fn flipped_sum(sizes: &[f64], pattern: u64) -> f64 {
    sizes.iter().enumerate().map(|(i, size)| if pattern >> i & 1 == 1 { -size } else { *size }).sum()
}

fn sampled_share(sizes: &[f64], reached: f64, seed: u64) -> f64 {
    let mut random = generator(seed, 0);
    let mut extreme = 1;
    for _ in 0..FLIPS {
        let sum: f64 = sizes.chunks(64).map(|chunk| flipped_sum(chunk, random.next_u64())).sum();
        extreme += u32::from(sum.abs() >= reached);
    }
    f64::from(extreme) / f64::from(FLIPS + 1)
}

/// The items of one cluster (one group, or a single item) on both sides of an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cluster {
    /// Sum over its items of score after minus score before.
    pub sum: f64,
    /// Number of items.
    pub items: usize,
}

/// Mean difference per item; 0 without items.
pub fn cluster_delta(clusters: &[Cluster]) -> f64 {
    let items: usize = clusters.iter().map(|cluster| cluster.items).sum();
    clusters.iter().map(|cluster| cluster.sum).sum::<f64>() / items.max(1) as f64
}

/// Bootstrap-t interval of the mean difference per item, whole clusters resampled (Efron & Tibshirani
/// 1993, chapter 12; the linearised standard error of a ratio). `None` below 6 clusters, or when all
/// clusters show the same difference.
pub fn bootstrap_t(clusters: &[Cluster], error: f64, seed: u64) -> Option<Interval> {
    let (delta, se) = ratio(clusters.iter()).filter(|_| clusters.len() >= MIN_CLUSTERS)?;
    let mut random = generator(seed, 1);
    let mut studentised = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let drawn: Vec<&Cluster> =
            clusters.iter().map(|_| &clusters[below(clusters.len() as u32, &mut random)]).collect();
        // A resample of one repeated cluster has no standard error and says nothing.
        studentised.extend(ratio(drawn.into_iter()).map(|(drawn, drawn_se)| (drawn - delta) / drawn_se));
    }
    let (upper, lower) = (quantile(&studentised, 1.0 - error / 2.0)?, quantile(&studentised, error / 2.0)?);
    Some(Interval { low: delta - upper * se, high: delta - lower * se, open_at_zero: false })
}

/// Interval of the mean difference per item that misses with probability `error`. Where every cluster is one item that is right
/// or wrong, it is the score interval of paired shares ([`Paired::tango`]), which a bootstrap cannot replace near -1 and 1; else
/// the bootstrap-t.
pub fn cluster_interval(clusters: &[Cluster], error: f64, seed: u64) -> Option<Interval> {
    let pair = paired(clusters).filter(|pair| clusters.len() >= MIN_CLUSTERS && pair.discordant() > 0);
    pair.map_or_else(|| bootstrap_t(clusters, error, seed), |pair| Some(pair.tango(error)))
}

/// The counts of clusters that are single items with a difference of -1, 0 or 1; `None` for any others.
fn paired(clusters: &[Cluster]) -> Option<Paired> {
    let near = |sum: f64, whole: f64| (sum - whole).abs() < 1e-9;
    let single = |it: &Cluster| it.items == 1 && [-1.0, 0.0, 1.0].iter().any(|whole| near(it.sum, *whole));
    let count = |whole: f64| clusters.iter().filter(|it| near(it.sum, whole)).count() as u64;
    let all = !clusters.is_empty() && clusters.iter().all(single);
    all.then(|| Paired { items: clusters.len() as u64, gained: count(1.0), lost: count(-1.0) })
}

/// Mean difference per item and its standard error; `None` when that is zero.
fn ratio<'a>(clusters: impl Iterator<Item = &'a Cluster> + Clone) -> Option<(f64, f64)> {
    let items = clusters.clone().map(|cluster| cluster.items as f64).sum::<f64>();
    let delta = clusters.clone().map(|cluster| cluster.sum).sum::<f64>() / items;
    let count = clusters.clone().count() as f64;
    let squares: f64 = clusters.map(|cluster| (cluster.sum - delta * cluster.items as f64).powi(2)).sum();
    let se = (squares * count / (count - 1.0)).sqrt() / items;
    // Rounding leaves about 1e-17 where the true standard error is zero.
    (se > 1e-12).then_some((delta, se))
}

/// One edge of fractional or grouped items, judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedClusters {
    /// Mean difference per item.
    pub delta: f64,
    /// Unadjusted sign-flip p.
    pub p: f64,
    /// Holm's adjusted p within the testable edges.
    pub adjusted_p: f64,
    /// Simultaneous interval ([`cluster_interval`]), made to agree with the test at zero; `None` where all
    /// clusters show the same difference.
    pub interval: Option<Interval>,
    /// Whether the difference is established at the family's alpha.
    pub established: bool,
}

/// Judges a family of edges by the differences of their clusters; `None` for edges below 6 clusters,
/// which are no members of the family.
pub fn judge_clusters(edges: &[Vec<Cluster>], alpha: f64, seed: u64) -> Vec<Option<JudgedClusters>> {
    let testable: Vec<usize> = (0..edges.len()).filter(|&i| edges[i].len() >= MIN_CLUSTERS).collect();
    let sums = |i: usize| edges[i].iter().map(|cluster| cluster.sum).collect::<Vec<f64>>();
    let ps: Vec<f64> = testable.iter().map(|&i| sign_flip(&sums(i), seed)).collect();
    let test = holm(&ps, alpha);
    let errors = interval_errors(testable.len(), test.count(), alpha);
    let mut judged = vec![None; edges.len()];
    for (place, &i) in testable.iter().enumerate() {
        let (delta, established) = (cluster_delta(&edges[i]), test.rejected[place]);
        let interval = cluster_interval(&edges[i], if established { errors.0 } else { errors.1 }, seed);
        let interval = interval.map(|interval| interval.agreeing_with(established, delta));
        let (p, adjusted_p) = (ps[place], test.adjusted[place]);
        judged[i] = Some(JudgedClusters { delta, p, adjusted_p, interval, established });
    }
    judged
}
