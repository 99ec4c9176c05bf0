//! Who asks `llama-server`.

use super::reply;
use super::request::body;
use crate::engine::EngineError;
use crate::engine::accounting::Start;
use crate::engine::http::{Client, Events, HttpError};
use crate::engine::openai::explained;
use crate::engine::outside::{Fields, Speaker};
use crate::generation::{Generation, Request, Stopwatch};
use serde_json::json;

/// A server and how it is asked.
#[derive(Debug)]
pub(super) struct LlamaServer {
    pub(super) client: Client,
    /// Context of a slot, in tokens.
    pub(super) context: usize,
    /// The fields that hold replies to a schema or a grammar.
    pub(super) held: Fields,
    /// The setting that asks for that.
    pub(super) holding: Option<&'static str>,
    /// The last prompt's cache may be used.
    pub(super) reuse: bool,
    /// Its process, where planrun started it.
    pub(super) process: Option<u32>,
}

impl LlamaServer {
    /// Ids of a text by the server's own tokenizer. Special tokens that are written out count as themselves, and none is added.
    pub(super) fn ids_of(client: &Client, text: &str) -> Result<Vec<u32>, EngineError> {
        let question = json!({ "content": text, "add_special": false, "parse_special": true });
        let answer = client.post("/tokenize", &question)?;
        let ids = answer.get("tokens").and_then(|tokens| serde_json::from_value(tokens.clone()).ok());
        ids.ok_or_else(|| {
            let problem = "the answer has no `tokens`".to_owned();
            HttpError::Answer { url: format!("{}/tokenize", client.base()), problem }.into()
        })
    }

    /// A prompt that does not fit is a fact of the plan, not a fault of the server.
    fn refused(&self, error: HttpError, tokens: usize) -> EngineError {
        match error {
            HttpError::Status { status: 400, message, .. } if message.contains("context size") => {
                EngineError::ContextFull { tokens, context: self.context }
            }
            other => explained(other, self.holding),
        }
    }
}

impl Speaker for LlamaServer {
    fn generate(&mut self, request: &Request) -> Result<Generation, EngineError> {
        let ids = request.prompt.ids.as_ref().ok_or_else(|| EngineError::Failed {
            doing: "asking llama-server",
            problem: "the prompt has no token ids".to_owned(),
        })?;
        let question = body(request, ids, self.reuse, &self.held);
        let answer = self.client.stream("/completion", &question, &Stopwatch::real());
        let lines = answer.map_err(|error| self.refused(error, ids.len()))?;
        Ok(reply::hear(&mut Events::of(lines)?, request.max_tokens, Start::of(&request.prompt))?)
    }

    /// Nothing to do: a cold request says `cache_prompt: false`, and the answer's `cache_n` says whether that was heeded.
    fn forget(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    fn tokenize(&self, text: &str) -> Option<Result<Vec<u32>, EngineError>> {
        Some(Self::ids_of(&self.client, text))
    }

    fn spells_out(&self) -> bool {
        true
    }

    fn process(&self) -> Option<u32> {
        self.process
    }
}
