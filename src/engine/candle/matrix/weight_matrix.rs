//! The face of a weight matrix, whatever its format.

use super::blocks::Blocks;
use super::bytes::Bytes;
use super::floats::Floats;
use super::nibbles::Nibbles;
use super::panels::{Panels, Product};
use super::storage::together;
use super::superblocks::Superblocks;
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Result, Tensor};
use half::{bf16, f16};

/// A matrix of `rows x columns` weights, one row per output.
pub(crate) struct Matrix {
    rows: usize,
    columns: usize,
    dtype: GgmlDType,
    product: Box<dyn Product>,
}

impl std::fmt::Debug for Matrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Matrix {} x {} {:?}", self.rows, self.columns, self.dtype)
    }
}

impl Matrix {
    /// Puts `values`, row after row, into a format whose blocks divide `columns`.
    pub(crate) fn new(values: Vec<f32>, columns: usize, dtype: GgmlDType) -> Result<Self> {
        match dtype {
            GgmlDType::F32 => Self::from_blocks(&[&bytes_of(&values, f32::to_le_bytes)], columns, dtype),
            GgmlDType::F16 => {
                Self::from_blocks(&[&bytes_of(&values, |x| f16::from_f32(x).to_le_bytes())], columns, dtype)
            }
            GgmlDType::BF16 => {
                Self::from_blocks(&[&bytes_of(&values, |x| bf16::from_f32(x).to_le_bytes())], columns, dtype)
            }
            _ => {
                let tensor = Tensor::from_vec(values, ((), columns), &Device::Cpu)?;
                Self::from_blocks(&[&QTensor::quantize(&tensor, dtype)?.data()?], columns, dtype)
            }
        }
    }

    /// Takes over the blocks of one or more tensors as stored in a GGUF file; their rows are stacked.
    pub(crate) fn from_blocks(parts: &[&[u8]], columns: usize, dtype: GgmlDType) -> Result<Self> {
        if columns == 0 || !columns.is_multiple_of(dtype.block_size()) {
            candle_core::bail!("a row of {columns} weights is not made of {dtype:?} blocks");
        }
        let size = columns / dtype.block_size() * dtype.type_size();
        if parts.iter().any(|part| !part.len().is_multiple_of(size)) {
            candle_core::bail!("{dtype:?} blocks do not make whole rows of {columns} weights");
        }
        let rows: Vec<&[u8]> = parts.iter().flat_map(|part| part.chunks_exact(size)).collect();
        Ok(Self { rows: rows.len(), columns, dtype, product: product(&rows, columns, dtype) })
    }

    /// Number of outputs.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Number of weights.
    pub(crate) fn elements(&self) -> usize {
        self.rows * self.columns
    }

    /// The format the weights are held in.
    pub(crate) fn dtype(&self) -> GgmlDType {
        self.dtype
    }

    /// Bytes of the weights in their format; a last panel that is not full is not counted up.
    pub(crate) fn bytes(&self) -> usize {
        self.elements() / self.dtype.block_size() * self.dtype.type_size()
    }

    /// Writes one row, widened, to `out`.
    pub(crate) fn row(&self, index: usize, out: &mut [f32]) -> Result<()> {
        self.product.row(index, out)
    }

    /// `out = x W^T`: `x` holds tokens of `columns` values, `out` as many of `rows` values. A token's numbers do not
    /// depend on what it is multiplied together with.
    pub(crate) fn multiply(&self, x: &[f32], out: &mut [f32]) -> Result<()> {
        self.product.multiply(x, out)
    }

    /// Moves the weights of several matrices together into huge pages of memory.
    pub(crate) fn settle<'a>(matrices: impl IntoIterator<Item = &'a mut Self>) {
        let storages = matrices.into_iter().filter_map(|matrix| matrix.product.storage());
        together(&mut storages.collect::<Vec<_>>());
    }
}

fn bytes_of<const N: usize>(values: &[f32], bytes: impl Fn(f32) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|value| bytes(*value)).collect()
}

fn product(rows: &[&[u8]], columns: usize, dtype: GgmlDType) -> Box<dyn Product> {
    match dtype {
        GgmlDType::F32 => Box::new(Panels::<Floats<f32>>::pack(rows, columns)),
        GgmlDType::F16 => Box::new(Panels::<Floats<f16>>::pack(rows, columns)),
        GgmlDType::BF16 => Box::new(Panels::<Floats<bf16>>::pack(rows, columns)),
        GgmlDType::Q4_0 => Box::new(Panels::<Nibbles<0, false>>::pack(rows, columns)),
        GgmlDType::Q4_1 => Box::new(Panels::<Nibbles<0, true>>::pack(rows, columns)),
        GgmlDType::Q5_0 => Box::new(Panels::<Nibbles<1, false>>::pack(rows, columns)),
        GgmlDType::Q5_1 => Box::new(Panels::<Nibbles<1, true>>::pack(rows, columns)),
        GgmlDType::Q8_0 => Box::new(Panels::<Bytes>::pack(rows, columns)),
        GgmlDType::Q4K => Box::new(Panels::<Superblocks<0>>::pack(rows, columns)),
        GgmlDType::Q5K => Box::new(Panels::<Superblocks<1>>::pack(rows, columns)),
        GgmlDType::Q6K => Box::new(Panels::<Superblocks<2>>::pack(rows, columns)),
        _ => Box::new(Blocks::new(rows, columns, dtype)),
    }
}
