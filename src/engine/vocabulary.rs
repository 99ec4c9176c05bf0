//! The model's tokenizer, and the tokens that mean something to the engine.

use super::EngineError;
use crate::fingerprint;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::PathBuf;
use tokenizers::Tokenizer;

/// A tokenizer with its special tokens.
#[derive(Debug)]
pub(super) struct Vocabulary {
    tokenizer: Tokenizer,
    fingerprint: String,
    /// Tokens that end a reply.
    ends: Vec<u32>,
    think: Option<u32>,
    end_of_think: Option<u32>,
    /// Tokens that stand for ordinary text.
    ordinary: Vec<u32>,
}

impl Vocabulary {
    /// Reads `tokenizer.json`; `ends` are the end-of-sequence ids that the model's configuration names, `rows` the size
    /// of its embedding table.
    pub(super) fn read(
        json: &[u8],
        place: PathBuf,
        ends: Vec<u32>,
        rows: usize,
    ) -> Result<Self, EngineError> {
        let tokenizer = Tokenizer::from_bytes(json).map_err(|error| EngineError::Unusable {
            path: place.clone(),
            problem: format!("not a readable tokenizer: {error}"),
            remedy: "take tokenizer.json from the model's own repository".to_owned(),
        })?;
        let ordinary = ordinary_tokens(&tokenizer, rows);
        if ordinary.is_empty() {
            return Err(EngineError::Unusable {
                path: place,
                problem: "it has no tokens for ordinary text".to_owned(),
                remedy: "take tokenizer.json from the model's own repository".to_owned(),
            });
        }
        Ok(Self {
            fingerprint: fingerprint::of_bytes(json),
            think: tokenizer.token_to_id("<think>"),
            end_of_think: tokenizer.token_to_id("</think>"),
            ends,
            ordinary,
            tokenizer,
        })
    }

    /// SHA-256 of the tokenizer's definition.
    pub(super) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// True if `token` ends a reply.
    pub(super) fn is_end(&self, token: u32) -> bool {
        self.ends.contains(&token)
    }

    /// The tokens that end a reply, spelled out.
    pub(super) fn ends(&self) -> Vec<String> {
        self.ends.iter().map(|id| self.tokenizer.id_to_token(*id).unwrap_or_else(|| id.to_string())).collect()
    }

    /// Token ids of a rendered prompt. The template has written every special token, so none is added.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        let encoding = self.tokenizer.encode_fast(text, false).map_err(|error| EngineError::Failed {
            doing: "tokenizing the prompt",
            problem: error.to_string(),
        })?;
        Ok(encoding.get_ids().to_vec())
    }

    /// Text of tokens; thinking marks and other added tokens stay.
    pub(super) fn decode(&self, ids: &[u32]) -> Result<String, EngineError> {
        self.tokenizer.decode(ids, false).map_err(|error| EngineError::Failed {
            doing: "turning the reply's tokens into text",
            problem: error.to_string(),
        })
    }

    /// Index of the first token of `reply` that belongs to the answer and not to the reasoning; `None` if the reply
    /// ends inside the reasoning.
    pub(super) fn answer_start(&self, prompt: &[u32], reply: &[u32]) -> Option<usize> {
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

    /// `count` ids of ordinary text that differ for each seed.
    pub(super) fn synthetic(&self, count: u32, seed: u64) -> Vec<u32> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..count).map(|_| self.ordinary[rng.random_range(0..self.ordinary.len())]).collect()
    }
}

/// Tokens that are not added ones and that the embedding table holds. A byte-level vocabulary has at least 256.
fn ordinary_tokens(tokenizer: &Tokenizer, rows: usize) -> Vec<u32> {
    let added = tokenizer.get_added_tokens_decoder();
    let mut ids: Vec<u32> = tokenizer.get_vocab(false).into_values().collect();
    ids.retain(|id| !added.contains_key(id) && (*id as usize) < rows);
    ids.sort_unstable();
    ids
}
