//! Logits, for comparisons with other implementations and of the decoder with itself.

use super::decoder::Span;
use super::engine::CandleEngine;
use super::generate::FIRST;
use crate::engine::EngineError;
use crate::generation::Prompt;

impl CandleEngine {
    /// Logits of the token that follows `prompt`, read from an empty cache.
    pub fn logits(&mut self, prompt: &[u32]) -> Result<Vec<f32>, EngineError> {
        let prompt = self.checked(prompt)?;
        self.model.clear();
        let logits = self.model.read(&prompt, self.prefill_chunk);
        logits.map(|logits| logits.to_vec()).map_err(|error| failed(&error))
    }

    /// The same with the first tokens, `kept`, in the cache already: whatever is there beyond what the two share is cut off.
    ///
    /// # Errors
    /// As those of [`CandleEngine::logits_after_each`].
    pub fn logits_after(&mut self, kept: &[u32], prompt: &[u32]) -> Result<Vec<f32>, EngineError> {
        let prompt = self.checked(prompt)?;
        let chunk = self.prefill_chunk;
        let decoder = self.decoder("prefix_cache", "reading on after a prefix")?;
        let cache = decoder.cache(FIRST);
        let held = cache.shared_prefix(kept).min(cache.shared_prefix(&prompt)).min(prompt.len() - 1);
        cache.truncate(held);
        let span = Span { sequence: FIRST, tokens: &prompt[held..] };
        decoder.read_span(span, chunk).map(|logits| logits.to_vec()).map_err(|error| failed(&error))
    }

    /// Shows `visit` the logits that follow each token of `prompt`, read from an empty cache, with the token's index.
    ///
    /// # Errors
    /// [`EngineError::Unsupported`] for a model that is not computed by planrun's own decoder.
    pub fn logits_after_each(
        &mut self,
        prompt: &[u32],
        visit: impl FnMut(usize, &[f32]),
    ) -> Result<(), EngineError> {
        let prompt = self.checked(prompt)?;
        let chunk = self.prefill_chunk;
        let decoder = self.decoder("model", "logits after each token")?;
        decoder.cache(FIRST).truncate(0);
        let span = Span { sequence: FIRST, tokens: &prompt };
        decoder.read_each(span, chunk, visit).map_err(|error| failed(&error))
    }

    /// Logits of the tokens that follow several prompts, all read in one pass.
    ///
    /// # Errors
    /// As those of [`CandleEngine::logits_after_each`].
    pub fn logits_together(&mut self, prompts: &[&[u32]]) -> Result<Vec<Vec<f32>>, EngineError> {
        let prompts = prompts.iter().map(|prompt| self.checked(prompt)).collect::<Result<Vec<_>, _>>()?;
        let decoder = self.decoder("batch_size", "several prompts in one pass")?;
        decoder.make_room(prompts.len());
        for sequence in 0..prompts.len() {
            decoder.cache(sequence).truncate(0);
        }
        let tokens = prompts.iter().map(Vec::as_slice);
        let spans: Vec<Span<'_>> =
            tokens.enumerate().map(|(sequence, tokens)| Span { sequence, tokens }).collect();
        let rows = decoder.read_together(&spans).map_err(|error| failed(&error))?;
        Ok(rows.map(<[f32]>::to_vec).collect())
    }

    pub(super) fn checked(&self, prompt: &[u32]) -> Result<Vec<u32>, EngineError> {
        let prompt = self.ids_of(&Prompt { text: String::new(), ids: Some(prompt.to_vec()), chat: None })?;
        self.check_room(prompt.len())?;
        Ok(prompt)
    }
}

fn failed(error: &candle_core::Error) -> EngineError {
    EngineError::Failed { doing: "computing logits", problem: error.to_string() }
}
