//! Matrices with the same input, multiplied as one.

use super::checkpoint::{Checkpoint, CheckpointError, Part, Stored};
use super::matrix::Matrix;
use candle_core::quantized::GgmlDType;

/// The rows of several matrices over the same columns, one after the other. Neighbours in the same format stand in one
/// [`Matrix`]: rows are quantized one by one, so nothing changes but the number of calls.
#[derive(Debug)]
pub(super) struct Projection {
    parts: Vec<Matrix>,
    rows: usize,
    /// Added to the outputs, where the family has it.
    bias: Option<Vec<f32>>,
}

impl Projection {
    /// Stacks parts of `(part, rows)`; `target` is the format to hold them in, or `None` for the stored one.
    pub(super) fn load(
        checkpoint: &dyn Checkpoint,
        parts: &[(Part, usize)],
        columns: usize,
        target: Option<GgmlDType>,
    ) -> Result<Self, CheckpointError> {
        let mut stored = Vec::new();
        for (part, rows) in parts {
            stored.push(checkpoint.tensor(*part, *rows, columns)?);
        }
        let alike = stored.chunk_by(|a, b| target.is_some() || a.dtype == b.dtype);
        let parts = alike.map(|group| stack(group, target)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { rows: parts.iter().map(Matrix::rows).sum(), parts, bias: None })
    }

    /// The same with biases, which stand in vectors of their own.
    pub(super) fn with_bias(
        mut self,
        checkpoint: &dyn Checkpoint,
        parts: &[(Part, usize)],
    ) -> Result<Self, CheckpointError> {
        let mut bias = Vec::with_capacity(self.rows);
        for (part, rows) in parts {
            bias.extend(checkpoint.vector(*part, *rows)?);
        }
        self.bias = Some(bias);
        Ok(self)
    }

    /// Number of outputs.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The matrices, for counting.
    pub(super) fn matrices(&self) -> &[Matrix] {
        &self.parts
    }

    /// The matrices, for moving.
    pub(super) fn matrices_mut(&mut self) -> &mut [Matrix] {
        &mut self.parts
    }

    /// Numbers outside the matrices.
    pub(super) fn bias_elements(&self) -> usize {
        self.bias.as_ref().map_or(0, Vec::len)
    }

    /// `out = x W^T + b`: `x` holds tokens of as many values as the matrices have columns, `out` as many of
    /// [`Projection::rows`]. `scratch` is used where the formats differ.
    pub(super) fn multiply(
        &self,
        x: &[f32],
        out: &mut [f32],
        scratch: &mut Vec<f32>,
    ) -> candle_core::Result<()> {
        if let [whole] = self.parts.as_slice() {
            whole.multiply(x, out)?;
        } else {
            let tokens = out.len() / self.rows;
            let mut start = 0;
            for part in &self.parts {
                scratch.resize(tokens * part.rows(), 0.0);
                part.multiply(x, scratch)?;
                for (row, out) in scratch.chunks_exact(part.rows()).zip(out.chunks_exact_mut(self.rows)) {
                    out[start..start + part.rows()].copy_from_slice(row);
                }
                start += part.rows();
            }
        }
        if let Some(bias) = &self.bias {
            for row in out.chunks_exact_mut(self.rows) {
                super::kernels::add(row, bias);
            }
        }
        Ok(())
    }
}

/// One matrix of the rows of several, in `target` or as stored.
pub(super) fn stack(group: &[Stored<'_>], target: Option<GgmlDType>) -> Result<Matrix, CheckpointError> {
    let Some(first) = group.first() else { return Err(CheckpointError::Missing("(no tensor)".to_owned())) };
    let dtype = target.unwrap_or(first.dtype);
    if group.iter().all(|stored| stored.dtype == dtype) {
        let bytes: Vec<&[u8]> = group.iter().map(|stored| stored.bytes).collect();
        return Ok(Matrix::from_blocks(&bytes, first.columns, dtype)?);
    }
    let mut values = Vec::new();
    for stored in group {
        values.extend(stored.values()?);
    }
    Ok(Matrix::new(values, first.columns, dtype)?)
}
