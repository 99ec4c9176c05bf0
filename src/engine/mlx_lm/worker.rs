//! The worker for MLX-LM.

use crate::abilities::names_an_interpreter;
use crate::condition::Settings;
use crate::engine::EngineError;
use crate::engine::outside::{Opening, Outside, OwnProgram};
use crate::engine::worker::{self, Backend};
use std::path::Path;

/// `mlx_lm.generate.generate_step` (<https://github.com/ml-explore/mlx-lm/blob/main/mlx_lm/generate.py>).
const BACKEND: Backend = Backend {
    name: "mlx_lm",
    source: include_str!("worker.py"),
    program: "python3",
    packages: "mlx-lm",
    // MLX-LM's own default, said aloud.
    prefill_chunk: Some(2048),
    converts: false,
};

/// True if the settings ask for the worker: `program` names a Python interpreter.
pub(in crate::engine) fn is_worker(settings: &Settings) -> bool {
    settings.program.get().is_some_and(|program| names_an_interpreter(program))
}

/// Starts the worker and opens the model in it.
pub(in crate::engine) fn open_worker(opening: &Opening) -> Result<Outside, EngineError> {
    worker::open(BACKEND, opening)
}

/// What it is started with.
pub(in crate::engine) fn worker(settings: &Settings, base: &Path) -> Result<OwnProgram, EngineError> {
    BACKEND.shown(settings, base)
}
