//! What the replies of a cell are held to: the engine is asked for it, and then checked.

use crate::condition::{Observed, Settings};
use crate::constraint::{ConstraintError, Grammar, ReplySchema};
use crate::engine::EngineError;
use crate::generation::{Generation, Request, StopReason};
use crate::task::{final_answer, opens_thinking};
use serde_json::{Map, Value};
use std::path::Path;

/// Fields of a request.
pub(in crate::engine) type Fields = Map<String, Value>;

/// A schema or a grammar.
#[derive(Debug, Clone)]
pub(in crate::engine) enum Constraint {
    Schema(Box<ReplySchema>),
    Grammar(Grammar),
}

impl Constraint {
    /// What the settings ask for; `base` is the plan's folder.
    ///
    /// # Errors
    /// When its file is not there, or is not what it must be.
    pub(in crate::engine) fn of(settings: &Settings, base: &Path) -> Result<Option<Self>, EngineError> {
        if let Some(file) = settings.json_schema.get() {
            let schema = ReplySchema::read(&base.join(file)).map_err(unusable)?;
            return Ok(Some(Self::Schema(Box::new(schema))));
        }
        let grammar = settings.grammar.get().map(|file| Grammar::read(&base.join(file)));
        Ok(grammar.transpose().map_err(unusable)?.map(Self::Grammar))
    }

    /// The setting that asks for it.
    pub(in crate::engine) fn setting(&self) -> &'static str {
        match self {
            Self::Schema(_) => "json_schema",
            Self::Grammar(_) => "grammar",
        }
    }

    /// Writes down what it is.
    pub(super) fn observe(&self, found: &mut Observed) {
        match self {
            Self::Schema(schema) => found.json_schema = schema.fingerprint.clone().into(),
            Self::Grammar(grammar) => found.grammar = grammar.fingerprint.clone().into(),
        }
    }

    /// A reply that ended by itself must keep to the schema, or the engine has passed it over: then nothing was measured of
    /// what the plan asks for. Only what stands after the reasoning counts. Grammars are in a language of the engine's own,
    /// which nothing here reads.
    ///
    /// # Errors
    /// With the place where the reply breaks the schema.
    pub(super) fn check(&self, request: &Request, generation: &Generation) -> Result<(), EngineError> {
        let Self::Schema(schema) = self else { return Ok(()) };
        if generation.stop != StopReason::Eos {
            return Ok(());
        }
        let problem = match final_answer(&generation.text, opens_thinking(&request.prompt.text)) {
            Some(answer) => schema.violation(answer),
            None => Some("there is no answer".to_owned()),
        };
        problem.map_or(Ok(()), |problem| {
            Err(EngineError::Failed {
                doing: "checking the reply",
                problem: format!("the engine did not keep to `json_schema`: {problem}"),
            })
        })
    }
}

fn unusable(error: ConstraintError) -> EngineError {
    let ConstraintError { path, problem, remedy } = error;
    EngineError::Unusable { path, problem, remedy: remedy.to_owned() }
}
