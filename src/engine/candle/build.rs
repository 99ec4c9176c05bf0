//! Which code answers: the library's version and the machine code it was compiled to.

use crate::condition::Runtime;

/// Version of candle that this build links; a test holds it to Cargo.lock.
pub const CANDLE_VERSION: &str = "0.11.1";

/// Version of candle-transformers that this build links; the same test holds it to Cargo.lock.
pub const CANDLE_TRANSFORMERS_VERSION: &str = "0.11.1";

/// The runtime as recorded of a model that candle-transformers computes.
pub(super) fn upstream_runtime() -> Runtime {
    let version = CANDLE_TRANSFORMERS_VERSION.to_owned();
    Runtime { name: "candle-transformers".to_owned(), version, binary: None }
}

/// The runtime as recorded of a model that the own decoder computes. The binary is this program, whose definitions the harness version governs.
pub(super) fn runtime() -> Runtime {
    Runtime { name: "candle".to_owned(), version: CANDLE_VERSION.to_owned(), binary: None }
}

/// Architecture, profile and the instruction sets the compiler was allowed to use.
pub(super) fn build_flags() -> String {
    let features = [
        ("sse4.2", cfg!(target_feature = "sse4.2")),
        ("avx", cfg!(target_feature = "avx")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("fma", cfg!(target_feature = "fma")),
        ("f16c", cfg!(target_feature = "f16c")),
        ("avx512f", cfg!(target_feature = "avx512f")),
        ("avx512bw", cfg!(target_feature = "avx512bw")),
        ("avx512vnni", cfg!(target_feature = "avx512vnni")),
        ("neon", cfg!(target_feature = "neon")),
        ("dotprod", cfg!(target_feature = "dotprod")),
        ("fp16", cfg!(target_feature = "fp16")),
        ("i8mm", cfg!(target_feature = "i8mm")),
    ];
    let enabled: Vec<&str> = features.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
    let checks = if cfg!(debug_assertions) { "debug" } else { "release" };
    format!("{} {checks} target-feature={}", std::env::consts::ARCH, enabled.join(","))
}
