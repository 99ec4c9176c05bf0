//! What differs from worker to worker.

use crate::condition::{CacheState, Settings};
use crate::engine::EngineError;
use crate::engine::outside::{OwnProgram, program};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The half of the program that all workers have.
const SHARED: &str = include_str!("protocol.py");

/// Takes the program from the pipe and runs it. The folder that Python was started in is no place for modules: a file there
/// called `transformers.py` would be taken for the library. `asked` is what requests come from.
const START: &str = "import sys; sys.path[:] = filter(None, sys.path); import json, os; \
    asked = os.fdopen(os.dup(0), 'rb'); \
    exec(compile(json.loads(asked.readline()), 'planrun worker', 'exec'))";

/// Nothing is fetched, and nothing is written to standard output in another encoding.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("HF_HUB_OFFLINE", "1"),
    ("TRANSFORMERS_OFFLINE", "1"),
    ("HF_HUB_DISABLE_TELEMETRY", "1"),
    ("TOKENIZERS_PARALLELISM", "false"),
    ("PYTHONIOENCODING", "utf-8"),
];

/// A library that a worker computes with.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct Backend {
    /// How records call it.
    pub(in crate::engine) name: &'static str,
    /// The half of the program that computes.
    pub(in crate::engine) source: &'static str,
    /// The interpreter where the plan names none.
    pub(in crate::engine) program: &'static str,
    /// What `pip install` has to be given for it.
    pub(in crate::engine) packages: &'static str,
    /// Prompt tokens that it is told to read in one pass where the plan does not say; `None` if it cannot be told.
    pub(in crate::engine) prefill_chunk: Option<u32>,
    /// It can hold weights in another format than the one that they are stored in.
    pub(in crate::engine) converts: bool,
}

/// The second line that a worker gets; the first is its program.
#[derive(Debug, Serialize)]
pub(super) struct Opens<'a> {
    model: &'a Path,
    dtype: Option<&'a str>,
    device: Option<&'a str>,
    threads: Option<u32>,
    prefill_chunk: Option<u32>,
}

impl Backend {
    /// The interpreter.
    pub(super) fn interpreter(&self, settings: &Settings, base: &Path) -> Result<PathBuf, EngineError> {
        program(&settings.program, self.program, base)
    }

    /// The interpreter and its options, as they are shown; the program itself comes through a pipe.
    pub(in crate::engine) fn shown(
        &self,
        settings: &Settings,
        base: &Path,
    ) -> Result<OwnProgram, EngineError> {
        let arguments = settings.arguments.get().cloned().unwrap_or_default();
        Ok(OwnProgram {
            program: self.interpreter(settings, base)?,
            arguments,
            how: " with planrun's worker",
        })
    }

    /// The command that starts a worker. Its program comes over the pipe: nothing is left on the disk, and the list of
    /// processes stays readable.
    pub(super) fn command(interpreter: &Path, settings: &Settings) -> Command {
        let mut command = Command::new(interpreter);
        command.args(settings.arguments.get().into_iter().flatten()).args(["-c", START]);
        command.envs(ENVIRONMENT.iter().copied());
        if let Some(threads) = settings.threads.get() {
            // Thread pools that no call of Python sizes.
            command.env("OMP_NUM_THREADS", threads.to_string());
        }
        // It stays in this process's group, so that whoever ends the run ends it.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The program, as a line of JSON.
    pub(super) fn program_line(&self) -> String {
        Value::from(format!("{SHARED}\n\n{}", self.source)).to_string()
    }

    /// What is opened.
    pub(super) fn opens<'a>(&self, model: &'a Path, settings: &'a Settings) -> Opens<'a> {
        Opens {
            model,
            dtype: settings.quantization.get().map(String::as_str).filter(|_| self.converts),
            device: settings.placement.get().map(String::as_str),
            threads: settings.threads.get().copied(),
            prefill_chunk: self.chunk(settings),
        }
    }

    /// Prompt tokens that it is told to read in one pass.
    pub(super) fn chunk(&self, settings: &Settings) -> Option<u32> {
        settings.prefill_chunk.get().copied().or(self.prefill_chunk)
    }
}

/// True if prompts may come from the cache.
pub(super) fn wants_warm(settings: &Settings) -> bool {
    settings.prefix_cache.get() == Some(&CacheState::Warm)
}
