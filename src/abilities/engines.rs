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
#[allow(clippy::struct_excessive_bools)] // one yes or no for each ability, read by name
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// How a plan calls it.
    pub name: &'static str,
    /// Schemes it can hold weights in.
    pub quantizations: &'static [&'static str],
    /// Formats of the key/value cache.
    pub kv_cache_dtypes: &'static [&'static str],
    /// It has a thinking switch (through the model's template).
    pub thinking: bool,
    /// It can sample.
    pub sampling: bool,
    /// It gives the log-likelihoods of given continuations.
    pub log_likelihoods: bool,
    /// The number of threads can be set.
    pub threads: bool,
    /// Settings that only some engines can honour, and that this one can.
    pub optional: &'static [&'static str],
    /// Most requests or prompts that it answers at once.
    pub concurrency: u32,
}

/// Schemes that candle quantizes to at load.
const CANDLE_SCHEMES: &[&str] =
    &["f32", "bf16", "f16", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q2_k", "q3_k", "q4_k", "q5_k", "q6_k"];

/// Looks up an engine's abilities.
pub fn abilities(kind: EngineKind) -> Abilities {
    let (name, optional): (_, &'static [&'static str]) = match kind {
        // Through the model's template, where that knows grades of effort.
        EngineKind::Candle => ("candle", &["thinking_effort", "prefix_cache"]),
        EngineKind::Scripted => ("scripted", &["prefix_cache"]),
    };
    Abilities {
        name,
        quantizations: CANDLE_SCHEMES,
        kv_cache_dtypes: &["f32"],
        thinking: true,
        sampling: true,
        log_likelihoods: true,
        threads: true,
        optional,
        concurrency: 1,
    }
}

/// How a plan calls the embedded model.
pub const PICO: &str = "pico";

/// Weights that share a scale in a scheme: rows must be a multiple of it.
pub fn block_size(scheme: &str) -> u64 {
    match scheme {
        "q8_0" | "q4_0" | "q4_1" | "q5_0" | "q5_1" => 32,
        "q2_k" | "q3_k" | "q4_k" | "q5_k" | "q6_k" => 256,
        _ => 1,
    }
}
