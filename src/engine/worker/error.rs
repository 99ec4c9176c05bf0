//! What goes wrong in a worker, as an error of the engine with what to do about it.

use super::backend::Backend;
use super::protocol::{Cause, Trouble};
use crate::engine::EngineError;
use crate::engine::outside::not_started;
use std::path::{Path, PathBuf};

/// The interpreter and the model of a worker: what its errors name.
#[derive(Debug, Clone)]
pub(super) struct Names {
    pub(super) backend: Backend,
    pub(super) interpreter: PathBuf,
    pub(super) model: PathBuf,
}

impl Names {
    /// What Python says while the model is opened.
    pub(super) fn not_opened(&self, trouble: &Trouble) -> EngineError {
        match trouble.cause {
            Cause::Module => self.no_module(trouble),
            Cause::Memory => unusable(
                &self.model,
                format!("{} has not enough memory for it ({})", self.backend.name, trouble.message),
                "close other programs, or name a smaller model or quantization".to_owned(),
            ),
            Cause::Exception => unusable(
                &self.model,
                format!("{} cannot open it: {}", self.backend.name, trouble.message),
                "name a folder with config.json and safetensors files of a model that it knows".to_owned(),
            ),
        }
    }

    /// The worker could not be started at all.
    pub(super) fn not_started(&self, error: &std::io::Error) -> EngineError {
        unusable(
            &self.interpreter,
            format!("it cannot be started ({})", not_started(&self.interpreter, error)),
            "`program` must name a Python interpreter, 3.9 or newer".to_owned(),
        )
    }

    /// The worker ended before the model was open.
    pub(super) fn ended_at_once(&self, how: &str) -> EngineError {
        unusable(
            &self.interpreter,
            format!("the worker for {} did not come up: {how}", self.backend.name),
            "`program` must name a Python interpreter, 3.9 or newer".to_owned(),
        )
    }

    fn no_module(&self, trouble: &Trouble) -> EngineError {
        let packages = self.backend.packages;
        let missing = match &trouble.module {
            Some(module) if trouble.message.contains("No module named") => {
                format!("it has no module `{module}`")
            }
            _ => format!("a module cannot be imported: {}", trouble.message),
        };
        let interpreter = self.interpreter.display();
        unusable(
            &self.interpreter,
            missing,
            format!("`{interpreter} -m pip install {packages}`, or name another interpreter with `program`"),
        )
    }
}

/// What Python says while it makes a reply.
pub(super) fn not_answered(trouble: &Trouble) -> EngineError {
    let problem = match trouble.cause {
        Cause::Memory => {
            format!("out of memory ({}); close other programs, or shorten the prompt", trouble.message)
        }
        Cause::Module | Cause::Exception => trouble.message.clone(),
    };
    EngineError::Failed { doing: "computing the reply in Python", problem }
}

/// A worker that ends, or says what it must not, in the middle of its work.
pub(super) fn lost(how: String) -> EngineError {
    EngineError::Gone { doing: "waiting for the Python worker", problem: how }
}

fn unusable(path: &Path, problem: String, remedy: String) -> EngineError {
    EngineError::Unusable { path: path.to_owned(), problem, remedy }
}
