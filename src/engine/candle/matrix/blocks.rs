//! The formats that have no panels: candle's kernels, one row and one token at a time.

use super::panels::Product;
use super::storage::Storage;
use candle_core::quantized::{GgmlDType, QuantizedType};
use candle_core::{CpuStorage, Result};
use std::borrow::Cow;

/// A matrix of blocks as stored in files.
pub(super) struct Blocks {
    rows: usize,
    columns: usize,
    stored: Box<dyn QuantizedType>,
}

impl Blocks {
    /// Takes over whole rows.
    pub(super) fn new(rows: &[&[u8]], columns: usize, dtype: GgmlDType) -> Self {
        /// Alignment that candle asks for at most.
        const ALIGNED: usize = 16;
        let size: usize = rows.iter().map(|row| row.len()).sum();
        let mut bytes = vec![0; size + ALIGNED];
        let start = bytes.as_ptr().align_offset(ALIGNED);
        let mut rest = &mut bytes[start..];
        for row in rows {
            let (place, after) = rest.split_at_mut(row.len());
            place.copy_from_slice(row);
            rest = after;
        }
        let stored = dtype.from_data(Cow::Borrowed(&bytes[start..start + size]));
        Self { rows: rows.len(), columns, stored }
    }
}

impl Product for Blocks {
    fn row(&self, index: usize, out: &mut [f32]) -> Result<()> {
        if let CpuStorage::F32(row) = self.stored.embedding(&[index as u32], self.rows, self.columns)? {
            out.copy_from_slice(&row);
        }
        Ok(())
    }

    fn multiply(&self, x: &[f32], out: &mut [f32]) -> Result<()> {
        self.stored.matmul_t((x.len() / self.columns, self.columns, self.rows), x, out)
    }

    fn storage(&mut self) -> Option<&mut Storage> {
        None
    }
}
