//! A weight matrix in one of the formats, and its product with activations.
//!
//! Activations are `f32` everywhere. A single token is multiplied row by row: `f32`, `f16` and `bf16` weights are widened
//! in a register or a cache line, blocks go through candle's kernels, which round the activations to 8 bits per block as
//! llama.cpp's do. For a longer part of a prompt the matrix is widened once and multiplied by a tiled kernel.

use super::kernels::{Stored, dot};
use candle_core::quantized::{GgmlDType, QuantizedType};
use candle_core::{CpuStorage, Device, Result, Storage, Tensor};
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};

/// A matrix of `rows x columns` weights, one row per output.
pub(super) struct Matrix {
    rows: usize,
    columns: usize,
    weights: Weights,
}

enum Weights {
    F32(Tensor),
    F16(Vec<f16>),
    Bf16(Vec<bf16>),
    Blocks(Box<dyn QuantizedType>),
}

impl std::fmt::Debug for Matrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Matrix {} x {} {:?}", self.rows, self.columns, self.dtype())
    }
}

impl Matrix {
    /// Puts `values`, row after row, into a format whose blocks divide `columns`.
    pub(super) fn new(values: Vec<f32>, columns: usize, dtype: GgmlDType) -> Result<Self> {
        let rows = values.len() / columns;
        let weights = match dtype {
            GgmlDType::F32 => Weights::F32(Tensor::from_vec(values, (rows, columns), &Device::Cpu)?),
            GgmlDType::F16 => {
                let mut narrow = vec![f16::ZERO; values.len()];
                narrow.convert_from_f32_slice(&values);
                Weights::F16(narrow)
            }
            GgmlDType::BF16 => {
                let mut narrow = vec![bf16::ZERO; values.len()];
                narrow.convert_from_f32_slice(&values);
                Weights::Bf16(narrow)
            }
            blocks => {
                let mut storage = blocks.cpu_zeros(values.len());
                storage.from_float(&values);
                Weights::Blocks(storage)
            }
        };
        Ok(Self { rows, columns, weights })
    }

    /// Stacks matrices that are in `dtype` already, as the bytes of a file hold them.
    pub(super) fn from_blocks(parts: &[&[u8]], columns: usize, dtype: GgmlDType) -> Result<Self> {
        let bytes = parts.concat();
        let rows = bytes.len() / dtype.type_size() * dtype.block_size() / columns;
        let pairs = || bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair));
        let weights = match dtype {
            GgmlDType::F32 => {
                let values = bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
                return Self::new(values, columns, dtype);
            }
            GgmlDType::F16 => Weights::F16(pairs().map(f16::from_bits).collect()),
            GgmlDType::BF16 => Weights::Bf16(pairs().map(bf16::from_bits).collect()),
            blocks => Weights::Blocks(blocks.from_data(bytes.into())),
        };
        Ok(Self { rows, columns, weights })
    }

    /// Number of outputs.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Number of weights.
    pub(super) fn elements(&self) -> usize {
        self.rows * self.columns
    }

    /// The format the weights are held in.
    pub(super) fn dtype(&self) -> GgmlDType {
        match &self.weights {
            Weights::F32(_) => GgmlDType::F32,
            Weights::F16(_) => GgmlDType::F16,
            Weights::Bf16(_) => GgmlDType::BF16,
            Weights::Blocks(blocks) => blocks.dtype(),
        }
    }

    /// Bytes of the weights as held.
    pub(super) fn bytes(&self) -> usize {
        match &self.weights {
            Weights::Blocks(blocks) => blocks.storage_size_in_bytes(),
            _ => self.elements() * self.dtype().type_size(),
        }
    }

    /// Writes one row, widened, to `out`.
    pub(super) fn row(&self, index: usize, out: &mut [f32]) -> Result<()> {
        let range = index * self.columns..(index + 1) * self.columns;
        match &self.weights {
            Weights::F32(tensor) => with_floats(tensor, |weights| out.copy_from_slice(&weights[range]))?,
            Weights::F16(weights) => weights[range].convert_to_f32_slice(out),
            Weights::Bf16(weights) => weights[range].convert_to_f32_slice(out),
            Weights::Blocks(blocks) => {
                if let CpuStorage::F32(row) = blocks.embedding(&[index as u32], self.rows, self.columns)? {
                    out.copy_from_slice(&row);
                }
            }
        }
        Ok(())
    }

    /// `out = x W^T`: `x` holds tokens of `columns` values, `out` as many of `rows` values. Nothing is
    /// allocated for a single token.
    pub(super) fn multiply(&self, x: &[f32], out: &mut [f32]) -> Result<()> {
        let tokens = x.len() / self.columns;
        if tokens >= self.tiled_from() {
            return self.tiled(x, out);
        }
        if let Weights::Blocks(blocks) = &self.weights {
            return blocks.matmul_t((tokens, self.columns, self.rows), x, out);
        }
        for (x, out) in x.chunks_exact(self.columns).zip(out.chunks_exact_mut(self.rows)) {
            match &self.weights {
                Weights::F32(tensor) => with_floats(tensor, |weights| by_row(weights, x, out))?,
                Weights::F16(weights) => by_row(weights, x, out),
                Weights::Bf16(weights) => by_row(weights, x, out),
                Weights::Blocks(_) => {}
            }
        }
        Ok(())
    }

    /// Tokens from which on the tiled product is faster. Blocks cost more to widen than two bytes.
    fn tiled_from(&self) -> usize {
        match &self.weights {
            Weights::Blocks(_) => 32,
            _ => 4,
        }
    }

    fn widened(&self) -> Result<Tensor> {
        let mut wide = vec![0.0; self.elements()];
        match &self.weights {
            Weights::F16(weights) => weights.convert_to_f32_slice(&mut wide),
            Weights::Bf16(weights) => weights.convert_to_f32_slice(&mut wide),
            Weights::F32(tensor) => return Ok(tensor.clone()),
            Weights::Blocks(blocks) => {
                if let CpuStorage::F32(values) = blocks.dequantize(self.elements())? {
                    wide = values;
                }
            }
        }
        Tensor::from_vec(wide, (self.rows, self.columns), &Device::Cpu)
    }

    fn tiled(&self, x: &[f32], out: &mut [f32]) -> Result<()> {
        let x = Tensor::from_slice(x, (x.len() / self.columns, self.columns), &Device::Cpu)?;
        with_floats(&x.matmul(&self.widened()?.t()?)?, |product| out.copy_from_slice(product))
    }
}

fn by_row<S: Stored>(weights: &[S], x: &[f32], out: &mut [f32]) {
    for (out, row) in out.iter_mut().zip(weights.chunks_exact(x.len())) {
        *out = dot(row, x);
    }
}

fn with_floats<R>(tensor: &Tensor, read: impl FnOnce(&[f32]) -> R) -> Result<R> {
    let (storage, _) = tensor.storage_and_layout();
    match &*storage {
        Storage::Cpu(cpu) => Ok(read(cpu.as_slice::<f32>()?)),
        _ => candle_core::bail!("a weight matrix is not in main memory"),
    }
}
