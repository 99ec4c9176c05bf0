//! Sends prompts to a server with the interface of OpenAI.

use super::dialect::Cold;
use super::refusal::explained;
use super::reply;
use super::request::Form;
use crate::engine::EngineError;
use crate::engine::accounting::Start;
use crate::engine::http::{Client, Events, HttpError};
use crate::engine::outside::Speaker;
use crate::generation::{Generation, Request, StopReason, Stopwatch};
use serde_json::{Value, json};

/// A server with the interface of OpenAI.
#[derive(Debug)]
pub(in crate::engine) struct OpenaiSpeaker {
    client: Client,
    form: Form,
    cold: Cold,
    /// The next request must find nothing of its prompt in a cache.
    forgetting: bool,
    /// The path that empties the cache is not there.
    no_flush: bool,
    process: Option<u32>,
}

impl OpenaiSpeaker {
    /// `form` is what requests have in common; `process` is the server's.
    pub(in crate::engine) fn new(client: Client, form: Form, process: Option<u32>) -> Self {
        let cold = form.dialect.cold;
        Self { client, form, cold, forgetting: false, no_flush: false, process }
    }

    fn flush(&mut self, path: &str, must: bool) -> Result<(), EngineError> {
        if self.no_flush {
            return Ok(());
        }
        match self.client.post_empty(path) {
            Ok(()) => Ok(()),
            Err(HttpError::Status { .. }) if !must => {
                self.no_flush = true;
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Speaker for OpenaiSpeaker {
    fn generate(&mut self, request: &Request) -> Result<Generation, EngineError> {
        let (path, mut body) = self.form.of(request);
        if self.forgetting {
            keep_cold(&mut body, self.cold);
        }
        let answer = self.client.stream(path, &body, &Stopwatch::real());
        let lines = answer.map_err(|error| explained(error, self.form.holding))?;
        let mut generation = reply::read(Events::of(lines)?, request.max_tokens, Start::of(&request.prompt))?;
        generation.text = self.client.without_key(generation.text);
        went_on(request, &generation)?;
        Ok(generation)
    }

    fn forget(&mut self) -> Result<(), EngineError> {
        self.forgetting = true;
        match self.cold {
            Cold::Flush(path) => self.flush(path, true),
            Cold::Perhaps(path) => self.flush(path, false),
            Cold::Salt | Cold::Field | Cold::AtStart => Ok(()),
        }
    }

    fn process(&self) -> Option<u32> {
        self.process
    }
}

fn keep_cold(body: &mut Value, cold: Cold) {
    match cold {
        Cold::Salt => body["cache_salt"] = json!(format!("{:032x}", rand::random::<u128>())),
        Cold::Field => body["cache_prompt"] = false.into(),
        Cold::Flush(_) | Cold::Perhaps(_) | Cold::AtStart => {}
    }
}

/// A fixed length that the server did not keep would look like a fast reply, or a slow one.
pub(in crate::engine) fn went_on(request: &Request, generation: &Generation) -> Result<(), EngineError> {
    if !request.ignore_eos || generation.stop != StopReason::Eos {
        return Ok(());
    }
    if let Some(tokens) = generation.tokens.filter(|tokens| *tokens > request.max_tokens) {
        return Err(EngineError::Unsupported {
            field: "max_tokens",
            problem: format!(
                "the server made {tokens} tokens, more than the limit of {}",
                request.max_tokens
            ),
            remedy: "use a server that honours `max_tokens`".to_owned(),
        });
    }
    let tokens = generation.tokens.map_or("an unknown number of".to_owned(), |tokens| tokens.to_string());
    Err(EngineError::Unsupported {
        field: "ignore_eos",
        problem: format!(
            "the server ended its reply by itself after {tokens} tokens, although {} were to come",
            request.max_tokens
        ),
        remedy: "use a server that honours `ignore_eos`, or a workload without a fixed length".to_owned(),
    })
}
