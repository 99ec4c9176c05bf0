//! Causal grouped-query attention over the cache, on plain slices.

use super::kernels::softmax_unscaled;
use super::kv_cache::{HeadCache, KvCache, PANEL};
use super::lanes::{Lanes, Machine, TILE, accumulate, even};
use std::array::from_fn;
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

/// Consecutive tokens of a sequence, whose keys and values are in its cache already.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tokens<'a> {
    /// Position of the first one.
    pub(super) first: usize,
    /// Positions that a token sees, itself included, where the layer has a window.
    pub(super) window: Option<usize>,
    /// For each token a row that begins with its query heads.
    pub(super) rows: &'a [f32],
    /// Numbers of a row.
    pub(super) stride: usize,
}

impl Tokens<'_> {
    fn seen(&self, token: usize) -> Range<usize> {
        let end = self.first + token + 1;
        self.window.map_or(0, |window| end.saturating_sub(window))..end
    }
}

/// Attention of tokens to those they see: `softmax(scale * q k^T) v` (Vaswani et al. 2017). `out` has a row of
/// `heads.queries * heads.width` numbers for each token.
///
/// Up to [`TILE`] queries that share a key/value head are computed together. Each sum runs over the numbers of a head, or
/// over the positions, in their order; what a query does not see counts as zero. So the numbers of a token do not depend on
/// the others.
pub(super) fn attend(
    cache: &KvCache,
    layer: usize,
    heads: Heads,
    tokens: Tokens<'_>,
    scores: &mut Vec<f32>,
    out: &mut [f32],
) {
    let queries = tokens.rows.len() / tokens.stride * (heads.queries / heads.kv);
    let size = even(queries);
    for kv in 0..heads.kv {
        let part = Part { head: cache.head(layer, kv), heads, kv, tokens };
        for first in (0..queries).step_by(size) {
            match size.min(queries - first) {
                1 => part.tile::<Machine, 1>(first, scores, out),
                2 => part.tile::<Machine, 2>(first, scores, out),
                3 => part.tile::<Machine, 3>(first, scores, out),
                4 => part.tile::<Machine, 4>(first, scores, out),
                5 => part.tile::<Machine, 5>(first, scores, out),
                _ => part.tile::<Machine, TILE>(first, scores, out),
            }
        }
    }
}

/// A key/value head and the queries that it serves, token by token.
struct Part<'a> {
    head: HeadCache<'a>,
    heads: Heads,
    kv: usize,
    tokens: Tokens<'a>,
}

impl Part<'_> {
    /// The token of a query, and the index of its head.
    fn place(&self, query: usize) -> (usize, usize) {
        let group = self.heads.queries / self.heads.kv;
        (query / group, self.kv * group + query % group)
    }

    /// `T` queries from `first` on.
    fn tile<L: Lanes, const T: usize>(&self, first: usize, scores: &mut Vec<f32>, out: &mut [f32]) {
        let Heads { queries: count, width, scale, .. } = self.heads;
        let places: [_; T] = from_fn(|query| self.place(first + query));
        let seen = places.map(|(token, _)| self.tokens.seen(token));
        let (from, to) = (seen[0].start, seen[T - 1].end);
        let base = from / PANEL * PANEL;
        let room = (to - base).next_multiple_of(PANEL);
        scores.resize(T * room, 0.0);
        let queries =
            places.map(|(token, head)| &self.tokens.rows[token * self.tokens.stride + head * width..]);
        self.score::<L, T>(base / PANEL, queries, scores);
        let mut norms = [0.0; T];
        for ((scores, seen), norm) in scores.chunks_exact_mut(room).zip(&seen).zip(&mut norms) {
            scores[..seen.start - base].fill(0.0);
            scores[seen.end - base..].fill(0.0);
            *norm = softmax_unscaled(&mut scores[seen.start - base..seen.end - base], scale);
        }
        let weights = from_fn(|query| &scores[query * room + from - base..(query + 1) * room]);
        let outs = places.map(|(token, head)| (token * count + head) * width);
        self.weigh::<L, T>(from..to, weights, norms, |query| outs[query], out);
    }

    /// Products of the queries with panels of keys from `panel` on; as many as there is room for.
    #[inline]
    fn score<L: Lanes, const T: usize>(&self, panel: usize, queries: [&[f32]; T], scores: &mut [f32]) {
        let width = self.heads.width;
        let room = scores.len() / T;
        for (at, keys) in self.head.keys[panel * width..].chunks_exact(width).take(room / PANEL).enumerate() {
            let mut sums = [[L::splat(0.0); 2]; T];
            accumulate::<L, T>(width, |number| halves::<L>(&keys[number]), queries, &mut sums);
            for (scores, sums) in scores.chunks_exact_mut(room).zip(sums) {
                let place = &mut scores[at * PANEL..(at + 1) * PANEL];
                place.copy_from_slice(sums.map(L::array).as_flattened());
            }
        }
    }

    /// Sums of the values at `positions`, weighted and normed, to the places of the queries in `out`.
    #[inline]
    fn weigh<L: Lanes, const T: usize>(
        &self,
        positions: Range<usize>,
        weights: [&[f32]; T],
        norms: [f32; T],
        place: impl Fn(usize) -> usize,
        out: &mut [f32],
    ) {
        let width = self.heads.width;
        let parts = width.div_ceil(PANEL);
        let values = &self.head.values[positions.start * parts..positions.end * parts];
        for part in 0..parts {
            let mut sums = [[L::splat(0.0); 2]; T];
            let value = |position: usize| halves::<L>(&values[position * parts + part]);
            accumulate::<L, T>(positions.len(), value, weights, &mut sums);
            let columns = part * PANEL..width.min((part + 1) * PANEL);
            for (query, sums) in sums.into_iter().enumerate() {
                let sums = sums.map(|sum| L::array(L::times(sum, L::splat(norms[query]))));
                let out = &mut out[place(query) + columns.start..place(query) + columns.end];
                out.copy_from_slice(&sums.as_flattened()[..columns.len()]);
            }
        }
    }
}

#[inline]
fn halves<L: Lanes>(numbers: &[f32; PANEL]) -> [L::Floats; 2] {
    let (first, second) = numbers.split_at(PANEL / 2);
    [first, second].map(|half| L::floats(&half.as_chunks().0[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEXT: usize = 50;

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|at| ((at * 7919 + seed * 104_729) % 1009) as f32 / 500.0 - 1.0).collect()
    }

    fn filled(heads: Heads) -> KvCache {
        let mut cache = KvCache::new(1, heads.kv, heads.width, CONTEXT);
        for position in 0..CONTEXT {
            for head in 0..heads.kv {
                let [key, value] =
                    [1, 2].map(|kind| numbers(heads.width, kind + 3 * (position * heads.kv + head)));
                cache.write(0, head, position, &key, &value);
            }
        }
        cache
    }

    /// The definition, for one query.
    fn right(heads: Heads, seen: Range<usize>, kv: usize, query: &[f32]) -> Vec<f64> {
        let row = |kind, position| numbers(heads.width, kind + 3 * (position * heads.kv + kv));
        let dot =
            |key: Vec<f32>| key.iter().zip(query).map(|(k, q)| f64::from(*k) * f64::from(*q)).sum::<f64>();
        let weights: Vec<f64> =
            seen.clone().map(|position| (dot(row(1, position)) * f64::from(heads.scale)).exp()).collect();
        let mut out = vec![0.0; heads.width];
        for (weight, position) in weights.iter().zip(seen) {
            for (out, value) in out.iter_mut().zip(row(2, position)) {
                *out += weight / weights.iter().sum::<f64>() * f64::from(value);
            }
        }
        out
    }

    #[test]
    fn tokens_attend_as_defined_and_alike_alone_and_together() {
        for (queries, kv, width, window) in [(9, 3, 64, None), (4, 4, 20, Some(5)), (6, 1, 8, Some(33))] {
            let heads = Heads { queries, kv, width, scale: 0.3 };
            let (cache, stride, first) = (filled(heads), queries * width + 5, 13);
            let rows = numbers((CONTEXT - first) * stride, 0);
            let mut whole = vec![0.0; (CONTEXT - first) * queries * width];
            attend(
                &cache,
                0,
                heads,
                Tokens { first, window, rows: &rows, stride },
                &mut Vec::new(),
                &mut whole,
            );
            for (token, whole) in whole.chunks_exact(queries * width).enumerate() {
                let rows = &rows[token * stride..(token + 1) * stride];
                let tokens = Tokens { first: first + token, window, rows, stride };
                let mut alone = vec![0.0; queries * width];
                attend(&cache, 0, heads, tokens, &mut Vec::new(), &mut alone);
                assert_eq!(alone, whole);
                for (head, out) in whole.chunks_exact(width).enumerate() {
                    let query = &rows[head * width..(head + 1) * width];
                    let right = right(heads, tokens.seen(0), head * kv / queries, query);
                    assert!(out.iter().zip(right).all(|(out, right)| (f64::from(*out) - right).abs() < 1e-5));
                }
            }
        }
    }
}
