//! Weighted cross-entropy on logits.

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};

use super::exp::exp;
use super::storage::{gradient, output, values, with_values};

/// Sum over rows of `weight * -log softmax(logits)[target]`, a scalar in nats.
pub(in super::super) struct CrossEntropy {
    /// Target token of each row.
    pub(in super::super) targets: Vec<u32>,
    /// Weight of each row.
    pub(in super::super) weights: Vec<f32>,
}

fn log_sum_exp(row: &[f32]) -> f32 {
    let top = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    top + row.iter().map(|x| exp(x - top)).sum::<f32>().ln()
}

impl CrossEntropy {
    fn rows<'a>(&'a self, logits: &'a [f32]) -> impl Iterator<Item = (&'a [f32], usize, f32)> {
        let width = logits.len() / self.targets.len().max(1);
        let rows = logits.chunks_exact(width.max(1)).zip(&self.targets).zip(&self.weights);
        rows.map(|((row, &target), &weight)| (row, target as usize, weight))
    }

    /// `dlogit = g * weight * (softmax(logits) - one_hot(target))`.
    fn backward(&self, logits: &[f32], g: f32) -> Vec<f32> {
        let mut d = Vec::with_capacity(logits.len());
        for (row, target, weight) in self.rows(logits) {
            let norm = log_sum_exp(row);
            let start = d.len();
            d.extend(row.iter().map(|x| g * weight * exp(x - norm)));
            d[start + target] -= g * weight;
        }
        d
    }
}

impl CustomOp1 for CrossEntropy {
    fn name(&self) -> &'static str {
        "cross-entropy"
    }

    fn cpu_fwd(&self, logits: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let logits = values(logits, layout)?;
        let loss =
            self.rows(logits).map(|(row, target, weight)| weight * (log_sum_exp(row) - row[target])).sum();
        Ok(output(vec![loss], ()))
    }

    fn bwd(&self, logits: &Tensor, _res: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let g = grad.to_scalar::<f32>()?;
        let d = with_values(logits, |logits| self.backward(logits, g))?;
        Ok(Some(gradient(d, logits)?))
    }
}
