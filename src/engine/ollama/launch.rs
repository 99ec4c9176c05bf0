//! How `ollama serve` is started.

use crate::condition::Settings;
use crate::engine::EngineError;
use crate::engine::outside::{Launch, program};
use std::path::Path;

/// A server for one model and one request at a time. A key/value cache in another format than `f16` needs flash attention,
/// which is switched on for every cell, so that it is no hidden difference between them.
pub(in crate::engine) fn launch(settings: &Settings, base: &Path, port: u16) -> Result<Launch, EngineError> {
    let cache = settings.kv_cache_dtype.get().cloned();
    let environment = [
        ("OLLAMA_HOST", format!("127.0.0.1:{port}")),
        ("OLLAMA_NUM_PARALLEL", "1".to_owned()),
        ("OLLAMA_MAX_LOADED_MODELS", "1".to_owned()),
        ("OLLAMA_FLASH_ATTENTION", "1".to_owned()),
    ];
    let launch = Launch {
        program: program(&settings.program, "ollama", base)?,
        arguments: vec!["serve".to_owned()],
        environment: environment
            .into_iter()
            .chain(cache.map(|dtype| ("OLLAMA_KV_CACHE_TYPE", dtype)))
            .collect(),
        ready: "/api/version",
    };
    Ok(launch.with_arguments_of(settings))
}
