//! Moving between token-major rows and head-major attention inputs, with the rotary embedding on the way.

use std::sync::Arc;

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};

use super::storage::{gradient, output, values, with_values};

/// Where heads and tokens of a batch stand.
#[derive(Clone, Copy)]
struct Grid {
    batch: usize,
    length: usize,
    heads: usize,
    dim: usize,
}

impl Grid {
    /// Calls `f(position, start in (B, L, H, D), start in (B, H, L, D))` for each head row.
    fn for_each_row(self, mut f: impl FnMut(usize, usize, usize)) {
        for batch in 0..self.batch {
            for position in 0..self.length {
                for head in 0..self.heads {
                    let token_row = ((batch * self.length + position) * self.heads + head) * self.dim;
                    let head_row = ((batch * self.heads + head) * self.length + position) * self.dim;
                    f(position, token_row, head_row);
                }
            }
        }
    }
}

/// Cosines and sines of the rotary embedding, `head_dim / 2` of each for every position.
pub(in super::super) struct RotaryTable {
    cos: Vec<f32>,
    sin: Vec<f32>,
    half: usize,
}

impl RotaryTable {
    /// Angle of pair `i` at position `p`: `p / theta^(2 i / head_dim)` (Su et al. 2021; halves paired as in Qwen3).
    pub(in super::super) fn new(head_dim: usize, theta: f64, positions: usize) -> Self {
        let half = head_dim / 2;
        let angles = (0..positions).flat_map(|position| {
            (0..half).map(move |i| position as f64 / theta.powf(i as f64 / half as f64))
        });
        let (cos, sin) = angles.map(|angle| (angle.cos() as f32, angle.sin() as f32)).unzip();
        Self { cos, sin, half }
    }

    /// Writes the row rotated by its position's angles; `direction` is 1 forwards and -1 for the gradient.
    fn rotate(&self, position: usize, from: &[f32], to: &mut [f32], direction: f32) {
        let at = position * self.half;
        let (cos, sin) = (&self.cos[at..at + self.half], &self.sin[at..at + self.half]);
        let (a, b) = from.split_at(self.half);
        let (to_a, to_b) = to.split_at_mut(self.half);
        for i in 0..self.half {
            let sin = direction * sin[i];
            to_a[i] = a[i] * cos[i] - b[i] * sin;
            to_b[i] = b[i] * cos[i] + a[i] * sin;
        }
    }
}

/// `(B * L, H * D)` to `(B, H, L, D)`, rotated by position when a table is given.
pub(in super::super) struct SplitHeads {
    /// Sequences in the batch.
    pub(in super::super) batch: usize,
    /// Number of heads.
    pub(in super::super) heads: usize,
    /// The rotary table, for queries and keys.
    pub(in super::super) rotary: Option<Arc<RotaryTable>>,
    /// Position of the first token.
    pub(in super::super) offset: usize,
}

impl SplitHeads {
    fn grid(&self, values: usize, width: usize) -> Grid {
        let length = values / width / self.batch;
        Grid { batch: self.batch, length, heads: self.heads, dim: width / self.heads }
    }

    fn move_row(&self, position: usize, from: &[f32], to: &mut [f32], direction: f32) {
        match &self.rotary {
            Some(table) => table.rotate(self.offset + position, from, to, direction),
            None => to.copy_from_slice(from),
        }
    }
}

impl CustomOp1 for SplitHeads {
    fn name(&self) -> &'static str {
        "split-heads"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let x = values(x, layout)?;
        let places = self.grid(x.len(), layout.shape().dims2()?.1);
        let mut y = vec![0f32; x.len()];
        places.for_each_row(|position, token_row, head_row| {
            let from = &x[token_row..token_row + places.dim];
            self.move_row(position, from, &mut y[head_row..head_row + places.dim], 1.0);
        });
        Ok(output(y, (places.batch, places.heads, places.length, places.dim)))
    }

    fn bwd(&self, x: &Tensor, _res: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let places = self.grid(x.elem_count(), x.dims2()?.1);
        let d = with_values(grad, |g| {
            let mut d = vec![0f32; g.len()];
            places.for_each_row(|position, token_row, head_row| {
                let from = &g[head_row..head_row + places.dim];
                self.move_row(position, from, &mut d[token_row..token_row + places.dim], -1.0);
            });
            d
        })?;
        Ok(Some(gradient(d, x)?))
    }
}

/// `(B, H, L, D)` back to `(B * L, H * D)`.
pub(in super::super) struct MergeHeads;

impl CustomOp1 for MergeHeads {
    fn name(&self) -> &'static str {
        "merge-heads"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let x = values(x, layout)?;
        let (batch, heads, length, dim) = layout.shape().dims4()?;
        let places = Grid { batch, length, heads, dim };
        let mut y = vec![0f32; x.len()];
        places.for_each_row(|_, token_row, head_row| {
            y[token_row..token_row + dim].copy_from_slice(&x[head_row..head_row + dim]);
        });
        Ok(output(y, (batch * length, heads * dim)))
    }

    fn bwd(&self, x: &Tensor, _res: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let (batch, heads, length, dim) = x.dims4()?;
        let places = Grid { batch, length, heads, dim };
        let d = with_values(grad, |g| {
            let mut d = vec![0f32; g.len()];
            places.for_each_row(|_, token_row, head_row| {
                d[head_row..head_row + dim].copy_from_slice(&g[token_row..token_row + dim]);
            });
            d
        })?;
        Ok(Some(gradient(d, x)?))
    }
}
