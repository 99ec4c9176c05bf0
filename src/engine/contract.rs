//! What every engine must do, and how it fails.

use super::http::HttpError;
use crate::abilities::Footprint;
use crate::condition::{Observed, Stated};
use crate::generation::{Generation, LogLikelihoods, Message, Prompt, Request, Stopwatch};
use std::path::PathBuf;

/// Somebody who answers requests.
pub trait Engine {
    /// What was read while the engine was opened: source, weights, quantization, tokenizer, runtime, ... The fields
    /// that others read (hardware, fingerprints, harness) are left unknown.
    fn observed(&self) -> &Observed;

    /// The clock on which this engine's times run.
    fn clock(&self) -> Stopwatch;

    /// The process whose memory is the engine's, where that is another one on this machine.
    fn process(&self) -> Option<u32> {
        None
    }

    /// True if its memory is neither this process's nor that of a known one: a server that ran already, or a program that lives
    /// no longer than a request.
    fn is_elsewhere(&self) -> bool {
        false
    }

    /// Most memory, in MiB, that was held on an accelerator while the last reply was made; `None` without one.
    fn accelerator_peak(&self) -> Option<f64> {
        None
    }

    /// Memory foreseen for the model; `None` where another program holds it.
    fn footprint(&self) -> Option<Footprint> {
        None
    }

    /// True if the model's template has a thinking switch.
    fn has_thinking_switch(&self) -> bool;

    /// Renders a conversation with the model's own template, ready for the reply.
    fn render(&self, messages: &[Message], thinking: Stated<bool>) -> Result<Prompt, EngineError>;

    /// Token ids of a text as it stands, no template around it.
    fn tokenize(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        let problem = format!("this engine shows no tokens of a text ({} bytes)", text.len());
        Err(EngineError::Unsupported { field: "engine", problem, remedy: "use `candle`".to_owned() })
    }

    /// A prompt of exactly `tokens` tokens that differs for each `seed`, for synthetic timing.
    fn synthetic_prompt(&self, tokens: u32, seed: u64) -> Result<Prompt, EngineError>;

    /// Answers one request. Times are seconds since the call.
    fn generate(&mut self, request: &Request) -> Result<Generation, EngineError>;

    /// Log-likelihoods of given continuations of a prompt, each read by itself after the same context.
    ///
    /// The boundary is that of lm-evaluation-harness (`lm_eval/api/model.py`, `TemplateLM._encode_pair`): white space at
    /// the end of the prompt belongs to the continuation; prompt and continuation are tokenized together, and the
    /// continuation's tokens are those beyond as many as the prompt alone has.
    ///
    /// # Errors
    /// [`EngineError::Unsupported`] from an engine that does not show probabilities; [`EngineError::Failed`] for a
    /// continuation that adds no token, and where the model's logits are no numbers.
    fn log_likelihoods(
        &mut self,
        prompt: &Prompt,
        continuations: &[String],
    ) -> Result<LogLikelihoods, EngineError> {
        let name = self.observed().runtime.get().map_or("this engine", |runtime| &runtime.name);
        let problem = format!(
            "{name} gives no log-likelihoods ({} continuations of {} bytes were to be read)",
            continuations.len(),
            prompt.text.len()
        );
        let remedy = "use the engine `candle`, or a scorer of generated replies such as `choice`".to_owned();
        Err(EngineError::Unsupported { field: "scorer", problem, remedy })
    }

    /// Forgets every cached prefix, so that the next request is cold.
    fn forget(&mut self) -> Result<(), EngineError>;
}

/// Why an engine could not be opened or could not answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The model could not be found.
    #[error("{path}: no model here ({problem}); {remedy}")]
    NotFound {
        /// Where it was looked for.
        path: PathBuf,
        /// What is missing.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The model's files are there but cannot be used.
    #[error("{path}: {problem}; {remedy}")]
    Unusable {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it, with the place where it is.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// A setting that this engine or model cannot honour.
    #[error("{field}: {problem}; {remedy}")]
    Unsupported {
        /// The setting.
        field: &'static str,
        /// Why it cannot be honoured.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The prompt does not fit.
    #[error(
        "the prompt has {tokens} tokens and the context holds {context}; raise `context_length` or shorten it"
    )]
    ContextFull {
        /// Tokens of the prompt.
        tokens: usize,
        /// Context window.
        context: usize,
    },
    /// The program of an engine outside is not on this machine.
    #[error("{path}: no such program ({problem}); install it, or name it with `program`")]
    NoProgram {
        /// How it was looked for.
        path: PathBuf,
        /// Why it was not found.
        problem: String,
    },
    /// The engine read another prompt than the one that was written.
    #[error(
        "the prompt has {written} tokens, and the engine read {read}: it cut the prompt, added to it, or has another tokenizer"
    )]
    OtherPrompt {
        /// Tokens as they were written.
        written: u32,
        /// Tokens as the engine counted them.
        read: u32,
    },
    /// A server did not answer as it must.
    #[error(transparent)]
    Server(#[from] HttpError),
    /// The chat template could not be rendered.
    #[error("chat template: {0}")]
    Template(String),
    /// The program that computes is not there any more.
    #[error("{doing}: {problem}")]
    Gone {
        /// What was being done.
        doing: &'static str,
        /// How it ended.
        problem: String,
    },
    /// The computation failed.
    #[error("{doing}: {problem}")]
    Failed {
        /// What was being done.
        doing: &'static str,
        /// What went wrong.
        problem: String,
    },
}

impl EngineError {
    /// True if nobody was there who could have answered: that says nothing of the model.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Server(error) => error.is_outage(),
            Self::Gone { .. } => true,
            _ => false,
        }
    }
}
