//! The number formats of tensors.

use super::error::Flaw;
use candle_core::quantized::GgmlDType;

/// Numbers 0 and up: name, weights in a block, bytes of a block, and what candle calls it. Names without a block have
/// been removed from the format. Source: `ggml.h` and `ggml-common.h` of ggml.
const TYPES: &[(&str, usize, usize, Option<GgmlDType>)] = &[
    ("F32", 1, 4, Some(GgmlDType::F32)),
    ("F16", 1, 2, Some(GgmlDType::F16)),
    ("Q4_0", 32, 18, Some(GgmlDType::Q4_0)),
    ("Q4_1", 32, 20, Some(GgmlDType::Q4_1)),
    ("Q4_2", 0, 0, None),
    ("Q4_3", 0, 0, None),
    ("Q5_0", 32, 22, Some(GgmlDType::Q5_0)),
    ("Q5_1", 32, 24, Some(GgmlDType::Q5_1)),
    ("Q8_0", 32, 34, Some(GgmlDType::Q8_0)),
    ("Q8_1", 32, 36, Some(GgmlDType::Q8_1)),
    ("Q2_K", 256, 84, Some(GgmlDType::Q2K)),
    ("Q3_K", 256, 110, Some(GgmlDType::Q3K)),
    ("Q4_K", 256, 144, Some(GgmlDType::Q4K)),
    ("Q5_K", 256, 176, Some(GgmlDType::Q5K)),
    ("Q6_K", 256, 210, Some(GgmlDType::Q6K)),
    ("Q8_K", 256, 292, Some(GgmlDType::Q8K)),
    ("IQ2_XXS", 256, 66, None),
    ("IQ2_XS", 256, 74, None),
    ("IQ3_XXS", 256, 98, None),
    ("IQ1_S", 256, 50, None),
    ("IQ4_NL", 32, 18, None),
    ("IQ3_S", 256, 110, None),
    ("IQ2_S", 256, 82, None),
    ("IQ4_XS", 256, 136, None),
    ("I8", 1, 1, None),
    ("I16", 1, 2, None),
    ("I32", 1, 4, None),
    ("I64", 1, 8, None),
    ("F64", 1, 8, None),
    ("IQ1_M", 256, 56, None),
    ("BF16", 1, 2, Some(GgmlDType::BF16)),
    ("Q4_0_4_4", 0, 0, None),
    ("Q4_0_4_8", 0, 0, None),
    ("Q4_0_8_8", 0, 0, None),
    ("TQ1_0", 256, 54, None),
    ("TQ2_0", 256, 66, None),
    ("IQ4_NL_4_4", 0, 0, None),
    ("IQ4_NL_4_8", 0, 0, None),
    ("IQ4_NL_8_8", 0, 0, None),
    ("MXFP4", 32, 17, None),
    ("NVFP4", 64, 36, None),
    ("Q1_0", 128, 18, None),
    ("Q2_0", 64, 18, None),
];

/// Number format of a tensor, as ggml numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GgmlType(u32);

impl GgmlType {
    /// The format with this number; `tensor` is named in the error.
    pub(super) fn new(number: u32, tensor: &str) -> Result<Self, Flaw> {
        match TYPES.get(number as usize) {
            Some((_, 1.., _, _)) => Ok(Self(number)),
            Some((name, ..)) => {
                Err(Flaw::tensor(tensor, format!("its format {name} has been removed from GGUF")))
            }
            None => Err(Flaw::tensor(tensor, format!("it has the unknown number format {number}"))),
        }
    }

    /// ggml's name, like `Q4_K`.
    pub fn name(self) -> &'static str {
        TYPES[self.0 as usize].0
    }

    /// Weights in a block; a row is a whole number of blocks.
    pub fn block(self) -> usize {
        TYPES[self.0 as usize].1
    }

    /// Bytes of a block.
    pub fn block_bytes(self) -> usize {
        TYPES[self.0 as usize].2
    }

    /// The same format in candle, where it has it.
    pub fn candle(self) -> Option<GgmlDType> {
        TYPES[self.0 as usize].3
    }
}
