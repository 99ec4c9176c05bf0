//! Scaled causal softmax over attention scores.

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};

use super::exp::exp;
use super::storage::{gradient, output, values, with_values};

/// Softmax of `scale * score` over the keys that a query may see; the others get 0.
///
/// Scores are `(..., groups * queries, keys)`; row `r` belongs to query `r % queries`, which stands at
/// position `offset + r % queries` and sees the keys up to there.
pub(in super::super) struct CausalSoftmax {
    /// Factor on the scores, `1 / sqrt(head_dim)`.
    pub(in super::super) scale: f32,
    /// Number of query positions.
    pub(in super::super) queries: usize,
    /// Position of the first query.
    pub(in super::super) offset: usize,
}

impl CausalSoftmax {
    fn visible(&self, row: usize, keys: usize) -> usize {
        (self.offset + row % self.queries + 1).min(keys)
    }

    /// With p the probabilities: dscore = scale * p * (g - sum(g p)).
    fn backward(&self, p: &[f32], g: &[f32], keys: usize) -> Vec<f32> {
        let mut d = vec![0f32; p.len()];
        let rows = p.chunks_exact(keys).zip(g.chunks_exact(keys)).zip(d.chunks_exact_mut(keys));
        for (row, ((p, g), d)) in rows.enumerate() {
            let seen = self.visible(row, keys);
            let dot: f32 = p[..seen].iter().zip(&g[..seen]).map(|(p, g)| p * g).sum();
            for i in 0..seen {
                d[i] = self.scale * p[i] * (g[i] - dot);
            }
        }
        d
    }
}

impl CustomOp1 for CausalSoftmax {
    fn name(&self) -> &'static str {
        "causal-softmax"
    }

    fn cpu_fwd(&self, scores: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let scores = values(scores, layout)?;
        let keys = layout.shape().dims().last().copied().unwrap_or(1);
        let mut p = vec![0f32; scores.len()];
        let rows = scores.chunks_exact(keys).zip(p.chunks_exact_mut(keys));
        for (row, (scores, p)) in rows.enumerate() {
            let seen = self.visible(row, keys);
            let top = scores[..seen].iter().copied().fold(f32::NEG_INFINITY, f32::max);
            p[..seen].iter_mut().zip(scores).for_each(|(p, score)| *p = exp((score - top) * self.scale));
            let norm = p[..seen].iter().sum::<f32>().recip();
            p[..seen].iter_mut().for_each(|p| *p *= norm);
        }
        Ok(output(p, layout.shape().clone()))
    }

    fn bwd(&self, scores: &Tensor, p: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let keys = scores.dims().last().copied().unwrap_or(1);
        let d = with_values(p, |p| with_values(grad, |g| self.backward(p, g, keys)))??;
        Ok(Some(gradient(d, scores)?))
    }
}
