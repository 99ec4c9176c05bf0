//! Muon: momentum whose updates are orthogonalised (Jordan et al. 2024).

use candle_core::{Result, Tensor, Var};

const MOMENTUM: f64 = 0.95;
/// Coefficients of the quintic Newton-Schulz iteration, from the Muon paper.
const QUINTIC: (f64, f64, f64) = (3.4445, -4.7750, 2.0315);
const ITERATIONS: usize = 5;

/// Optimizer state of one matrix.
pub(super) struct Muon {
    /// Running sum of gradients, in the matrix's shape.
    pub(super) momentum: Tensor,
}

impl Muon {
    /// State for a matrix that has seen no gradient.
    pub(super) fn new(var: &Var) -> Result<Self> {
        Ok(Self { momentum: var.as_tensor().zeros_like()?.detach() })
    }

    /// One update with Nesterov momentum; tall matrices move by `sqrt(rows / columns)` more.
    pub(super) fn step(&mut self, var: &Var, gradient: &Tensor, rate: f64) -> Result<()> {
        self.momentum = ((&self.momentum * MOMENTUM)? + gradient)?.detach();
        let update = orthogonalise(&((&self.momentum * MOMENTUM)? + gradient)?)?;
        let (rows, columns) = var.dims2()?;
        let scale = (rows as f64 / columns as f64).max(1.0).sqrt();
        var.set(&(var.as_tensor().detach() - (update * (rate * scale))?)?)
    }
}

/// A matrix with nearly the same singular vectors and singular values near 1.
fn orthogonalise(gradient: &Tensor) -> Result<Tensor> {
    let (rows, columns) = gradient.dims2()?;
    let tall = rows > columns;
    let mut x = if tall { gradient.t()?.contiguous()? } else { gradient.clone() };
    let norm = f64::from(x.sqr()?.sum_all()?.sqrt()?.to_scalar::<f32>()?);
    x = (x / (norm + 1e-7))?;
    let (a, b, c) = QUINTIC;
    for _ in 0..ITERATIONS {
        let square = x.matmul(&x.t()?)?;
        let mix = ((&square * b)? + (square.matmul(&square)? * c)?)?;
        x = ((&x * a)? + mix.matmul(&x)?)?;
    }
    if tall { x.t()?.contiguous() } else { Ok(x) }
}
