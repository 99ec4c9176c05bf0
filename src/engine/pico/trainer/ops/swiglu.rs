//! The gated activation of the feed-forward part.

use candle_core::{CpuStorage, CustomOp2, Layout, Result, Shape, Tensor};

use super::exp::exp;
use super::storage::{gradient, output, values, with_values};

/// `silu(gate) * up`.
pub(in super::super) struct SwiGlu;

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// d silu(x) / dx = s (1 + x (1 - s)) with s = sigmoid(x).
fn backward(gate: &[f32], up: &[f32], g: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let (mut d_gate, mut d_up) = (vec![0f32; gate.len()], vec![0f32; gate.len()]);
    let inputs = gate.iter().zip(up).zip(g);
    for (((&x, &u), &g), (d_gate, d_up)) in inputs.zip(d_gate.iter_mut().zip(&mut d_up)) {
        let s = sigmoid(x);
        *d_gate = g * u * s * (1.0 + x * (1.0 - s));
        *d_up = g * x * s;
    }
    (d_gate, d_up)
}

impl CustomOp2 for SwiGlu {
    fn name(&self) -> &'static str {
        "swiglu"
    }

    fn cpu_fwd(
        &self,
        gate: &CpuStorage,
        gate_layout: &Layout,
        up: &CpuStorage,
        up_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (gate, up) = (values(gate, gate_layout)?, values(up, up_layout)?);
        let y = gate.iter().zip(up).map(|(&x, &u)| x * sigmoid(x) * u).collect();
        Ok(output(y, gate_layout.shape().clone()))
    }

    fn bwd(
        &self,
        gate: &Tensor,
        up: &Tensor,
        _res: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let (d_gate, d_up) =
            with_values(gate, |x| with_values(up, |u| with_values(grad, |g| backward(x, u, g))))???;
        Ok((Some(gradient(d_gate, gate)?), Some(gradient(d_up, up)?)))
    }
}
