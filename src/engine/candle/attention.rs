//! Causal grouped-query attention over the cache, on plain slices.

use super::kernels::{scores as score_keys, softmax_unscaled, weighted_sum};
use super::kv_cache::KvCache;

/// Which heads attend to what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heads {
    /// Query heads.
    pub(super) queries: usize,
    /// Key/value heads; each serves `queries / kv` query heads.
    pub(super) kv: usize,
    /// Width of a head.
    pub(super) width: usize,
}

/// Attention of consecutive tokens, the first of which stands at `position`; their keys and values are in the cache.
///
/// `queries` and `out` hold `heads.queries * heads.width` values a token, `queries` at a distance of `stride` values.
/// `softmax(q k^T / sqrt(width)) v`, as in Vaswani et al. 2017.
pub(super) fn attend(
    cache: &KvCache,
    layer: usize,
    heads: Heads,
    position: usize,
    (queries, stride): (&[f32], usize),
    scores: &mut Vec<f32>,
    out: &mut [f32],
) {
    let Heads { queries: count, kv, width } = heads;
    let group = count / kv;
    let scale = 1.0 / (width as f32).sqrt();
    scores.resize(cache.capacity(), 0.0);
    for (token, out) in out.chunks_exact_mut(count * width).enumerate() {
        let seen = position + token + 1;
        let row = &queries[token * stride..token * stride + count * width];
        for (head, (query, out)) in row.chunks_exact(width).zip(out.chunks_exact_mut(width)).enumerate() {
            let (keys, values) = cache.head(layer, head / group, seen);
            one_head(query, keys, values, scale, &mut scores[..seen], out);
        }
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
