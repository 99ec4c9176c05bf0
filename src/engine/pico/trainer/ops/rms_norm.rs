//! Root-mean-square normalisation over the last dimension (Zhang and Sennrich 2019).

use candle_core::{CpuStorage, CustomOp2, Layout, Result, Shape, Tensor};

use super::storage::{gradient, output, values, with_values};

/// `y = x / sqrt(mean(x^2) + eps) * weight` over rows as long as `weight`.
pub(in super::super) struct RmsNorm {
    /// Added to the mean square.
    pub(in super::super) eps: f32,
}

impl RmsNorm {
    fn inverse_rms(&self, row: &[f32]) -> f32 {
        let square: f32 = row.iter().map(|x| x * x).sum();
        (square / row.len() as f32 + self.eps).sqrt().recip()
    }

    /// With r the inverse rms, n the row length and s = sum(g w x): dx = r g w - r^3 s x / n; dw = sum over rows of g x r.
    fn backward(&self, x: &[f32], weight: &[f32], g: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let n = weight.len();
        let mut dx = vec![0f32; x.len()];
        let mut dw = vec![0f32; n];
        for ((x, g), dx) in x.chunks_exact(n).zip(g.chunks_exact(n)).zip(dx.chunks_exact_mut(n)) {
            let r = self.inverse_rms(x);
            let dot: f32 = x.iter().zip(g).zip(weight).map(|((x, g), w)| x * g * w).sum();
            let pull = r * r * r * dot / n as f32;
            for i in 0..n {
                dx[i] = r * g[i] * weight[i] - pull * x[i];
                dw[i] += g[i] * x[i] * r;
            }
        }
        (dx, dw)
    }
}

impl CustomOp2 for RmsNorm {
    fn name(&self) -> &'static str {
        "rms-norm"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        x_layout: &Layout,
        weight: &CpuStorage,
        weight_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (x, weight) = (values(x, x_layout)?, values(weight, weight_layout)?);
        let mut y = Vec::with_capacity(x.len());
        for row in x.chunks_exact(weight.len()) {
            let r = self.inverse_rms(row);
            y.extend(row.iter().zip(weight).map(|(x, w)| x * r * w));
        }
        Ok(output(y, x_layout.shape().clone()))
    }

    fn bwd(
        &self,
        x: &Tensor,
        weight: &Tensor,
        _res: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let (dx, dw) =
            with_values(x, |x| with_values(weight, |w| with_values(grad, |g| self.backward(x, w, g))))???;
        Ok((Some(gradient(dx, x)?), Some(gradient(dw, weight)?)))
    }
}
