//! A tensor as it lies in a file.

use super::contract::CheckpointError;
use candle_core::CpuStorage;
use candle_core::quantized::GgmlDType;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use std::borrow::Cow;

/// The bytes of `rows` rows of `columns` numbers in one format.
#[derive(Debug)]
pub(in crate::engine::candle) struct Stored<'data> {
    pub(in crate::engine::candle) name: String,
    pub(in crate::engine::candle) rows: usize,
    pub(in crate::engine::candle) columns: usize,
    pub(in crate::engine::candle) dtype: GgmlDType,
    pub(in crate::engine::candle) bytes: &'data [u8],
}

impl Stored<'_> {
    /// Bytes that the shape and the format need; `None` if a row is no whole number of blocks.
    fn needed(&self) -> Option<usize> {
        let block = self.dtype.block_size();
        let blocks = self.columns.is_multiple_of(block).then_some(self.columns / block)?;
        self.rows.checked_mul(blocks)?.checked_mul(self.dtype.type_size())
    }

    /// The same tensor, if its bytes are as many as they must be.
    pub(super) fn checked(self) -> Result<Self, CheckpointError> {
        match self.needed() {
            Some(needed) if needed == self.bytes.len() => Ok(self),
            needed => Err(CheckpointError::Size {
                found: self.bytes.len(),
                expected: needed.unwrap_or_default(),
                name: self.name,
            }),
        }
    }

    /// The numbers, widened.
    pub(in crate::engine::candle) fn values(&self) -> Result<Vec<f32>, CheckpointError> {
        let pairs = || self.bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair));
        Ok(match self.dtype {
            GgmlDType::F32 => {
                self.bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
            }
            GgmlDType::F16 => pairs().map(f16::from_bits).collect::<Vec<_>>().to_f32_vec(),
            GgmlDType::BF16 => pairs().map(bf16::from_bits).collect::<Vec<_>>().to_f32_vec(),
            blocks => {
                // A copy stands where the block type's alignment holds; the file's bytes may stand anywhere.
                let blocks = blocks.from_data(Cow::Owned(self.bytes.to_vec()));
                match blocks.dequantize(self.rows * self.columns)? {
                    CpuStorage::F32(values) => values,
                    _ => return Err(candle_core::Error::Msg(format!("`{}` did not widen", self.name)).into()),
                }
            }
        })
    }
}
