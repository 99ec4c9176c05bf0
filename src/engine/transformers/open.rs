//! The worker for transformers.

use crate::condition::Settings;
use crate::engine::EngineError;
use crate::engine::outside::{Opening, Outside, OwnProgram};
use crate::engine::worker::{self, Backend};
use std::path::Path;

/// `AutoModelForCausalLM.generate` (<https://huggingface.co/docs/transformers/main_classes/text_generation>).
const BACKEND: Backend = Backend {
    name: "transformers",
    source: include_str!("worker.py"),
    program: "python3",
    packages: "transformers torch",
    prefill_chunk: None,
    converts: true,
};

/// Starts the worker and opens the model in it.
pub(in crate::engine) fn open(opening: &Opening) -> Result<Outside, EngineError> {
    worker::open(BACKEND, opening)
}

/// What it is started with.
pub(in crate::engine) fn worker(settings: &Settings, base: &Path) -> Result<OwnProgram, EngineError> {
    BACKEND.shown(settings, base)
}
