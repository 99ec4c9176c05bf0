//! Where layers live, in llama.cpp's own words: `cpu`, or `gpu_layers=99;device=CUDA0`.

use crate::condition::Settings;
use crate::engine::EngineError;

/// Keys of `placement` and the options that they stand for.
const KEYS: &[(&str, &str)] = &[
    ("gpu_layers", "-ngl"),
    ("device", "-dev"),
    ("split_mode", "-sm"),
    ("tensor_split", "-ts"),
    ("main_gpu", "-mg"),
    ("override_tensor", "-ot"),
    ("cpu_moe_layers", "-ncmoe"),
];

/// The options; none where the plan leaves it to the engine. Several pairs are divided by `;`.
pub(super) fn arguments(settings: &Settings) -> Result<Vec<String>, EngineError> {
    let Some(written) = settings.placement.get() else { return Ok(Vec::new()) };
    if written == "cpu" {
        return Ok(["-ngl", "0", "-dev", "none"].map(str::to_owned).to_vec());
    }
    let mut arguments = Vec::new();
    for pair in written.split(';') {
        let (key, value) = pair.split_once('=').ok_or_else(|| unknown(written))?;
        let known = KEYS.iter().find(|(name, _)| *name == key.trim());
        let (_, option) = known.ok_or_else(|| unknown(written))?;
        arguments.extend([(*option).to_owned(), value.trim().to_owned()]);
    }
    Ok(arguments)
}

fn unknown(written: &str) -> EngineError {
    let keys: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
    EngineError::Unsupported {
        field: "placement",
        problem: format!("llama.cpp cannot place layers by `{written}`"),
        remedy: format!("write \"cpu\", or KEY=VALUE;KEY=VALUE with these keys: {}", keys.join(", ")),
    }
}
