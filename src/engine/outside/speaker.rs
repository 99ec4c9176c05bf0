//! Who sends a prompt to an engine outside and hears its reply.

use super::{Constraint, Endpoint, LocalFiles};
use crate::condition::{Observed, Settings};
use crate::engine::EngineError;
use crate::generation::{Generation, Request};
use std::path::Path;

/// The part of an engine that differs from program to program.
pub(in crate::engine) trait Speaker {
    /// Answers one request. Times are seconds since it was sent.
    fn generate(&mut self, request: &Request) -> Result<Generation, EngineError>;

    /// Makes sure that the next request is cold, where the engine can do that.
    fn forget(&mut self) -> Result<(), EngineError>;

    /// The ids that the engine's own tokenizer gives a text, where it shows them.
    fn tokenize(&self, _text: &str) -> Option<Result<Vec<u32>, EngineError>> {
        None
    }

    /// True if its ids hold what its text leaves out (marks such as `<think>`, or all of it): the text is then written from them.
    fn spells_out(&self) -> bool {
        false
    }

    /// Most memory, in MiB, that was held on an accelerator while the last reply was made, where the engine says so.
    fn accelerator_peak(&self) -> Option<f64> {
        None
    }

    /// The process whose memory is the engine's; `None` where it is not on this machine, or nobody knows.
    fn process(&self) -> Option<u32> {
        None
    }
}

/// What an engine outside is opened with.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct Opening<'a> {
    /// What the cell asks for.
    pub(in crate::engine) settings: &'a Settings,
    /// The plan's folder.
    pub(in crate::engine) base: &'a Path,
    /// The server that planrun started for it.
    pub(in crate::engine) endpoint: Option<&'a Endpoint>,
}

impl Opening<'_> {
    /// The files of the model, for an engine whose `model` names files.
    pub(in crate::engine) fn files(&self) -> Result<LocalFiles, EngineError> {
        let name = self.settings.model.get().ok_or_else(no_model)?;
        LocalFiles::open(name, self.settings, self.base)
    }

    /// The files that `model_files` names, for an engine that knows the model by a name of its own.
    pub(in crate::engine) fn named_files(&self) -> Result<Option<LocalFiles>, EngineError> {
        let named = self.settings.model_files.get();
        named.map(|name| LocalFiles::open(name, self.settings, self.base)).transpose()
    }

    /// What replies are to be held to.
    pub(in crate::engine) fn constraint(&self) -> Result<Option<Constraint>, EngineError> {
        Constraint::of(self.settings, self.base)
    }

    /// The model's name at its server.
    pub(in crate::engine) fn model(&self) -> Result<&str, EngineError> {
        self.settings.model.get().map(String::as_str).ok_or_else(no_model)
    }

    /// The address to ask: of the server that planrun started, else the one that the settings name.
    pub(in crate::engine) fn url(&self) -> Result<&str, EngineError> {
        let started = self.endpoint.map(|endpoint| endpoint.url.as_str());
        started.or(self.settings.url.get().map(String::as_str)).ok_or_else(|| EngineError::Unsupported {
            field: "url",
            problem: "no server was started for this engine, and none is named".to_owned(),
            remedy: "set `url` to the address of one that runs".to_owned(),
        })
    }

    /// Writes down what is the same for every server: asked for and passed on, but not read back.
    pub(in crate::engine) fn observe(&self, found: &mut Observed) {
        if self.endpoint.is_none() && self.settings.url.get().is_some() {
            found.isolation = crate::condition::Isolation::Attached.into();
        }
    }
}

fn no_model() -> EngineError {
    EngineError::Unsupported {
        field: "model",
        problem: "no model is named".to_owned(),
        remedy: "set it to a file, a folder, or the name that the server knows".to_owned(),
    }
}
