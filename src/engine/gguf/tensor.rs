//! The table of tensors and where their bytes lie.

use super::cursor::Cursor;
use super::error::{Flaw, GgufError};
use super::ggml_type::GgmlType;
use super::header::name;
use candle_core::quantized::GgmlDType;
use std::ops::Range;
use std::path::Path;

/// More dimensions than this no tensor has.
const MOST_DIMENSIONS: u32 = 4;
/// Bytes of the shortest line of the table: an empty name, no dimension, type and offset.
pub(super) const SMALLEST_LINE: u64 = 8 + 4 + 4 + 8;

/// A line of the tensor table.
#[derive(Debug)]
pub(super) struct TensorInfo {
    pub(super) name: String,
    pub(super) shape: Vec<usize>,
    pub(super) format: GgmlType,
    /// Weights in all.
    pub(super) elements: usize,
    /// Where its bytes lie, from the beginning of the data section.
    pub(super) place: Range<u64>,
}

impl TensorInfo {
    /// Reads a line; `alignment` is what every offset is a multiple of.
    pub(super) fn read(cursor: &mut Cursor<'_>, alignment: u64, reading: &str) -> Result<Self, Flaw> {
        let name = name(cursor, reading)?;
        let shape = read_shape(cursor, &name, reading)?;
        let format = GgmlType::new(cursor.u32(reading)?, &name)?;
        let offset = cursor.u64(reading)?;
        let too_large = || Flaw::tensor(&name, format!("its shape {shape:?} is larger than any file"));
        let elements = shape.iter().try_fold(1, |product: usize, side| product.checked_mul(*side));
        let elements = elements.ok_or_else(too_large)?;
        let columns = shape.first().copied().unwrap_or(1);
        if !columns.is_multiple_of(format.block()) {
            let (blocks, format) = (format.block(), format.name());
            let problem =
                format!("a row of {columns} weights is no whole number of {format} blocks of {blocks}");
            return Err(Flaw::tensor(&name, problem));
        }
        let bytes = (elements / format.block()).checked_mul(format.block_bytes()).ok_or_else(too_large)?;
        if !offset.is_multiple_of(alignment) {
            let problem = format!("its offset {offset} is no multiple of the alignment {alignment}");
            return Err(Flaw::tensor(&name, problem));
        }
        let end = offset.checked_add(bytes as u64).ok_or_else(too_large)?;
        Ok(Self { name, shape, format, elements, place: offset..end })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.place.end - self.place.start
    }
}

fn read_shape(cursor: &mut Cursor<'_>, name: &str, reading: &str) -> Result<Vec<usize>, Flaw> {
    let dimensions = cursor.u32(reading)?;
    if dimensions > MOST_DIMENSIONS {
        return Err(Flaw::tensor(
            name,
            format!("it has {dimensions} dimensions, and {MOST_DIMENSIONS} are the most"),
        ));
    }
    let side = |_| match cursor.u64(reading)? {
        0 => Err(Flaw::tensor(name, "one of its dimensions is 0")),
        side => usize::try_from(side)
            .map_err(|_| Flaw::tensor(name, format!("a dimension of {side} is larger than any file"))),
    };
    (0..dimensions).map(side).collect()
}

/// Refuses tensors that share bytes or reach behind the end of the `available` bytes of data.
pub(super) fn check_layout(tensors: &[TensorInfo], available: u64) -> Result<(), Flaw> {
    let mut in_order: Vec<&TensorInfo> = tensors.iter().collect();
    in_order.sort_by_key(|tensor| (tensor.place.start, tensor.place.end));
    if let Some(pair) = in_order.windows(2).find(|pair| pair[0].place.end > pair[1].place.start) {
        return Err(Flaw::tensor(&pair[1].name, format!("it shares bytes with tensor `{}`", pair[0].name)));
    }
    match in_order.last().filter(|last| last.place.end > available) {
        Some(last) => {
            let end = last.place.end;
            let problem =
                format!("it ends at byte {end} of the data, and the file has {available} bytes of it");
            Err(Flaw::tensor(&last.name, problem))
        }
        None => Ok(()),
    }
}

/// A tensor as it lies in the file.
#[derive(Debug, Clone, Copy)]
pub struct GgufTensor<'file> {
    pub(super) info: &'file TensorInfo,
    pub(super) path: &'file Path,
    pub(super) bytes: &'file [u8],
}

impl<'file> GgufTensor<'file> {
    /// Its name, like `blk.0.attn_q.weight`.
    pub fn name(&self) -> &'file str {
        &self.info.name
    }

    /// Sides in GGUF's order, the fastest first: `[columns, rows]` for a matrix of `rows` rows, so `[inputs, outputs]`
    /// for a projection and `[width, tokens]` for the embedding table. At most four; none for a single number.
    pub fn shape(&self) -> &'file [usize] {
        &self.info.shape
    }

    /// Number format as ggml names it.
    pub fn ggml_type(&self) -> GgmlType {
        self.info.format
    }

    /// Number format as candle names it.
    ///
    /// # Errors
    /// If candle does not compute with this format; the message names it.
    pub fn format(&self) -> Result<GgmlDType, GgufError> {
        self.info.format.candle().ok_or_else(|| {
            let problem =
                format!("this engine does not compute with weights stored as {}", self.info.format.name());
            GgufError::new(self.path, Flaw::tensor(self.name(), problem))
        })
    }

    /// Weights in all.
    pub fn elements(&self) -> usize {
        self.info.elements
    }

    /// The rows one after another, each a whole number of blocks. Begins at a multiple of the file's alignment (32
    /// bytes, mostly) behind a page border.
    pub fn bytes(&self) -> &'file [u8] {
        self.bytes
    }
}
