//! The label that a quantizer leaves in `general.file_type`. It is no ggml type number: 15 means `Q4_K_M` here and
//! `Q8_K` there.

/// Labels 0 and up; empty where a number was withdrawn. Source: `llama_ftype` in llama.cpp's `llama.h`.
const LABELS: &[&str] = &[
    "F32",
    "F16",
    "Q4_0",
    "Q4_1",
    "",
    "",
    "",
    "Q8_0",
    "Q5_0",
    "Q5_1",
    "Q2_K",
    "Q3_K_S",
    "Q3_K_M",
    "Q3_K_L",
    "Q4_K_S",
    "Q4_K_M",
    "Q5_K_S",
    "Q5_K_M",
    "Q6_K",
    "IQ2_XXS",
    "IQ2_XS",
    "Q2_K_S",
    "IQ3_XS",
    "IQ3_XXS",
    "IQ1_S",
    "IQ4_NL",
    "IQ3_S",
    "IQ3_M",
    "IQ2_S",
    "IQ2_M",
    "IQ4_XS",
    "IQ1_M",
    "BF16",
    "",
    "",
    "",
    "TQ1_0",
    "TQ2_0",
    "MXFP4_MOE",
    "NVFP4",
    "Q1_0",
    "Q2_0",
];

/// The label with this number.
pub(super) fn label(number: u64) -> String {
    let known = usize::try_from(number).ok().and_then(|at| LABELS.get(at)).filter(|label| !label.is_empty());
    known.map_or_else(|| format!("file_type {number}"), |label| (*label).to_owned())
}
