//! `AdamW` (Loshchilov and Hutter 2019), without weight decay on the one-dimensional parameters.

use candle_core::{Result, Tensor, Var};

const BETA: (f64, f64) = (0.9, 0.95);
const EPS: f64 = 1e-8;
const WEIGHT_DECAY: f64 = 0.01;

/// Optimizer state of one parameter.
pub(super) struct AdamW {
    /// Running mean of the gradient.
    pub(super) mean: Tensor,
    /// Running mean of its square.
    pub(super) square: Tensor,
}

impl AdamW {
    /// State for a parameter that has seen no gradient.
    pub(super) fn new(var: &Var) -> Result<Self> {
        let zeros = var.as_tensor().zeros_like()?.detach();
        Ok(Self { mean: zeros.clone(), square: zeros })
    }

    /// Update number `step`, counted from 1.
    pub(super) fn step(&mut self, var: &Var, gradient: &Tensor, rate: f64, step: usize) -> Result<()> {
        self.mean = ((&self.mean * BETA.0)? + (gradient * (1.0 - BETA.0))?)?.detach();
        self.square = ((&self.square * BETA.1)? + (gradient.sqr()? * (1.0 - BETA.1))?)?.detach();
        let mean = (&self.mean / (1.0 - BETA.0.powf(step as f64)))?;
        let deviation = ((&self.square / (1.0 - BETA.1.powf(step as f64)))?.sqrt()? + EPS)?;
        let decay = if var.rank() > 1 { WEIGHT_DECAY } else { 0.0 };
        let kept = (var.as_tensor().detach() * (1.0 - rate * decay))?;
        var.set(&(kept - ((mean / deviation)? * rate)?)?)
    }
}
