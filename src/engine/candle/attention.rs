//! Causal grouped-query attention over the cache, on plain slices.

use super::kernels::{scores as score_keys, softmax_unscaled, weighted_sum};
use super::kv_cache::KvCache;
use std::ops::Range;

/// Which heads attend to what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heads {
    /// Query heads.
    pub(super) queries: usize,
    /// Key/value heads; each serves `queries / kv` query heads.
    pub(super) kv: usize,
    /// Width of a head.
    pub(super) width: usize,
    /// Factor on the products of queries and keys.
    pub(super) scale: f32,
}

/// Attention of one token to the tokens in `seen`, whose keys and values are in the cache.
///
/// `queries` and `out` hold `heads.queries * heads.width` values. `softmax(scale * q k^T) v`, as in Vaswani et al. 2017.
pub(super) fn attend(
    cache: &KvCache,
    layer: usize,
    heads: Heads,
    seen: Range<usize>,
    queries: &[f32],
    scores: &mut Vec<f32>,
    out: &mut [f32],
) {
    let Heads { queries: count, kv, width, scale } = heads;
    let group = count / kv;
    scores.resize(seen.len(), 0.0);
    for (head, (query, out)) in queries.chunks_exact(width).zip(out.chunks_exact_mut(width)).enumerate() {
        let (keys, values) = cache.head(layer, head / group, seen.clone());
        one_head(query, keys, values, scale, scores, out);
    }
}

fn one_head(query: &[f32], keys: &[f32], values: &[f32], scale: f32, scores: &mut [f32], out: &mut [f32]) {
    score_keys(query, keys, scores);
    let norm = softmax_unscaled(scores, scale);
    out.fill(0.0);
    weighted_sum(scores, values, out);
    for x in out {
        *x *= norm;
    }
}
