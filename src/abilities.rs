//! What each kind of engine can do, as a pure table, so that a plan can be checked without opening an engine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    /// candle, in this process.
    Candle,
    /// A deterministic stand-in for tests and dry runs; it answers from a script on a virtual clock.
    Scripted,
}

/// What one kind of engine can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// Schemes it can hold weights in.
    pub quantizations: &'static [&'static str],
    /// Formats of the key/value cache.
    pub kv_cache_dtypes: &'static [&'static str],
    /// It has a thinking switch (through the model's template).
    pub thinking: bool,
    /// It can sample.
    pub sampling: bool,
    /// The number of threads can be set.
    pub threads: bool,
}

/// Schemes that candle quantizes to at load.
const CANDLE_SCHEMES: &[&str] =
    &["f32", "bf16", "f16", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q2_k", "q3_k", "q4_k", "q5_k", "q6_k"];

/// Looks up an engine's abilities.
pub fn abilities(kind: EngineKind) -> Abilities {
    match kind {
        EngineKind::Candle | EngineKind::Scripted => Abilities {
            quantizations: CANDLE_SCHEMES,
            kv_cache_dtypes: &["f32"],
            thinking: true,
            sampling: true,
            threads: true,
        },
    }
}
