//! A tokenizer with the tokens that mean something to the engine.

use super::coder::{Coder, guarded};
use super::definition::Definition;
use crate::engine::EngineError;
use crate::engine::gguf::Gguf;
use crate::fingerprint;
use std::path::{Path, PathBuf};
use tokenizers::Tokenizer;

/// A tokenizer with its special tokens.
#[derive(Debug)]
pub struct Vocabulary {
    coder: Coder,
    fingerprint: String,
    /// Tokens that end a reply.
    ends: Vec<u32>,
    /// What a raw prompt begins with.
    bos: Option<u32>,
    think: Option<u32>,
    end_of_think: Option<u32>,
    /// The marks of reasoning are control tokens of a GGUF file.
    hides_thinking: bool,
}

impl Vocabulary {
    /// Reads `tokenizer.json`; `ends` are the end-of-sequence ids that the model's configuration names, `rows` the size
    /// of its embedding table.
    pub fn read(json: &[u8], place: PathBuf, ends: Vec<u32>, rows: usize) -> Result<Self, EngineError> {
        let vocabulary = guarded(|| {
            let mut tokenizer =
                Tokenizer::from_bytes(json).map_err(|error| format!("not a readable tokenizer: {error}"))?;
            // Some files still hold the cutting and filling of their training; prompts are taken as they are.
            tokenizer.with_truncation(None).map_err(|error| error.to_string())?;
            tokenizer.with_padding(None);
            let coder = Coder::Library(Box::new(tokenizer));
            let bos = coder.prefix();
            Self::new(
                Definition {
                    coder,
                    fingerprint: fingerprint::of_bytes(json),
                    ends,
                    bos,
                    hides_thinking: false,
                },
                rows,
            )
        });
        vocabulary.map_err(|problem| EngineError::Unusable {
            path: place,
            problem,
            remedy: "take tokenizer.json from the model's own repository".to_owned(),
        })
    }

    /// Reads the tokenizer in the metadata of a GGUF file; `rows` is the size of the model's embedding table.
    pub fn from_gguf(gguf: &Gguf, rows: usize) -> Result<Self, EngineError> {
        let definition = Definition::read(gguf.metadata())?;
        Self::new(definition, rows).map_err(|problem| EngineError::Unusable {
            path: gguf.paths().next().map_or_else(PathBuf::new, Path::to_owned),
            problem,
            remedy: "convert the model anew with a current llama.cpp".to_owned(),
        })
    }

    fn new(definition: Definition, rows: usize) -> Result<Self, String> {
        let Definition { coder, fingerprint, ends, bos, hides_thinking } = definition;
        if !coder.has_ordinary(rows) {
            return Err("it has no tokens for ordinary text".to_owned());
        }
        let (think, end_of_think) = (coder.id("<think>"), coder.id("</think>"));
        Ok(Self { coder, fingerprint, ends, bos, think, end_of_think, hides_thinking })
    }

    /// SHA-256 of the tokenizer's definition.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// True if `token` ends a reply.
    pub fn is_end(&self, token: u32) -> bool {
        self.ends.contains(&token)
    }

    /// The tokens that end a reply.
    pub fn end_ids(&self) -> &[u32] {
        &self.ends
    }

    /// The tokens that end a reply, spelled out.
    pub fn ends(&self) -> Vec<String> {
        self.ends.iter().map(|id| self.coder.text(*id).unwrap_or_else(|| id.to_string())).collect()
    }

    /// The token that a raw prompt begins with, where the tokenizer's own rules say so. A rendered chat template has
    /// written it already.
    pub fn adds_bos(&self) -> Option<u32> {
        self.bos
    }

    /// The text of the token that [`Vocabulary::adds_bos`] names.
    pub fn bos_text(&self) -> Option<String> {
        self.bos.and_then(|id| self.coder.text(id))
    }

    /// True if the end of reasoning is a control token of a GGUF file: llama.cpp leaves those out of a reply's text.
    pub fn hides_thinking(&self) -> bool {
        self.hides_thinking
    }

    /// Token ids of a rendered prompt. The template has written every special token, so none is added.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        self.coder
            .encode(text)
            .map_err(|problem| EngineError::Failed { doing: "tokenizing the prompt", problem })
    }

    /// Text of tokens; thinking marks and other added tokens stay.
    pub fn decode(&self, ids: &[u32]) -> Result<String, EngineError> {
        self.coder
            .decode(ids)
            .map_err(|problem| EngineError::Failed { doing: "turning the reply's tokens into text", problem })
    }

    /// Index of the first token of `reply` that belongs to the answer and not to the reasoning; `None` if the reply
    /// ends inside the reasoning.
    pub fn answer_start(&self, prompt: &[u32], reply: &[u32]) -> Option<usize> {
        let (Some(open), Some(close)) = (self.think, self.end_of_think) else {
            return (!reply.is_empty()).then_some(0);
        };
        let opened_by_template =
            prompt.iter().rev().find(|id| **id == open || **id == close).is_some_and(|last| *last == open);
        let start = match reply.iter().rposition(|id| *id == close) {
            Some(end) => end + 1,
            None if opened_by_template || reply.contains(&open) => return None,
            None => 0,
        };
        (start < reply.len()).then_some(start)
    }
}
