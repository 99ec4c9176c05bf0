//! The number formats that weights can be held in.

use candle_core::quantized::GgmlDType;

/// Scheme names of a plan and the block formats behind them.
const SCHEMES: &[(&str, GgmlDType)] = &[
    ("f32", GgmlDType::F32),
    ("bf16", GgmlDType::BF16),
    ("f16", GgmlDType::F16),
    ("q8_0", GgmlDType::Q8_0),
    ("q4_0", GgmlDType::Q4_0),
    ("q4_1", GgmlDType::Q4_1),
    ("q5_0", GgmlDType::Q5_0),
    ("q5_1", GgmlDType::Q5_1),
    ("q2_k", GgmlDType::Q2K),
    ("q3_k", GgmlDType::Q3K),
    ("q4_k", GgmlDType::Q4K),
    ("q5_k", GgmlDType::Q5K),
    ("q6_k", GgmlDType::Q6K),
];

/// Looks a scheme up by its name in the plan.
pub(super) fn scheme(name: &str) -> Option<GgmlDType> {
    SCHEMES.iter().find(|(known, _)| *known == name).map(|(_, dtype)| *dtype)
}

/// The plan's name of a format.
pub(super) fn name_of(dtype: GgmlDType) -> &'static str {
    SCHEMES.iter().find(|(_, known)| *known == dtype).map_or("unknown", |(name, _)| name)
}

/// All scheme names, for messages.
pub(super) fn known_schemes() -> String {
    SCHEMES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Format of the output head (and of an embedding table that is also the head). Below 8 bits the head gets `q6_k`, or
/// `q8_0` where its rows are no multiple of 256: what llama.cpp's quantizer does, because errors there go straight into
/// the choice of the token.
pub(super) fn head_scheme(dtype: GgmlDType, columns: usize) -> GgmlDType {
    match dtype {
        GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16 | GgmlDType::Q8_0 => dtype,
        _ if columns.is_multiple_of(GgmlDType::Q6K.block_size()) => GgmlDType::Q6K,
        _ => GgmlDType::Q8_0,
    }
}
