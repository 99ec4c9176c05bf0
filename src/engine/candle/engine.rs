//! The candle engine as the rest of the program sees it.

use super::decoder::Decoder;
use super::generate::{Limits, generate};
use super::load::{Loaded, load};
use super::model::Model;
use super::support::{refuse_what_is_not_done, unsupported};
use crate::abilities::Footprint;
use crate::condition::{CacheState, Observed, Settings, Stated};
use crate::engine::prompts::Prompts;
use crate::engine::{Engine, EngineError};
use crate::generation::{
    Generation, LogLikelihoods, Message, Prompt, Request, StopReason, Stopwatch, TokenTimes,
};
use std::path::Path;

/// Prompt tokens per forward pass when the plan does not say.
pub(super) const DEFAULT_CHUNK: u32 = 512;

/// A model in this process.
#[derive(Debug)]
pub struct CandleEngine {
    pub(super) model: Box<dyn Model>,
    pub(super) prompts: Prompts,
    observed: Observed,
    footprint: Footprint,
    pub(super) prefill_chunk: usize,
    reuse_prefix: bool,
}

impl CandleEngine {
    /// Opens the model that the settings name; `base` is the plan's folder.
    pub fn open(settings: &Settings, base: &Path) -> Result<Self, EngineError> {
        refuse_what_is_not_done(settings)?;
        let Loaded { model, prompts, observed, footprint } = load(settings, base)?;
        Ok(Self {
            model,
            prompts,
            footprint,
            prefill_chunk: settings.prefill_chunk.or(DEFAULT_CHUNK) as usize,
            reuse_prefix: settings.prefix_cache.get() == Some(&CacheState::Warm),
            observed,
        })
    }

    /// The own decoder, for `ability`, which no other model has; `field` is the setting that asks for it.
    pub(super) fn decoder(
        &mut self,
        field: &'static str,
        ability: &str,
    ) -> Result<&mut Decoder, EngineError> {
        let name = self.observed.runtime.get().map_or("this runtime", |runtime| &runtime.name);
        self.model.decoder().ok_or_else(|| {
            let problem = format!("{ability}: {name} does not do that");
            unsupported(field, problem, "choose a model that planrun's own decoder computes")
        })
    }

    pub(super) fn check_room(&self, tokens: usize) -> Result<(), EngineError> {
        let context = self.model.context();
        if tokens > context {
            return Err(EngineError::ContextFull { tokens, context });
        }
        Ok(())
    }

    /// Begins a new sequence and gives the number of the prompt's tokens that it holds already.
    fn begin(&mut self, prompt: &[u32]) -> usize {
        if self.reuse_prefix {
            return self.model.keep(prompt);
        }
        self.model.clear();
        0
    }

    /// The prompt's ids, checked against the vocabulary and the context.
    pub(super) fn ids_of(&self, prompt: &Prompt) -> Result<Vec<u32>, EngineError> {
        let ids = match &prompt.ids {
            Some(ids) => ids.clone(),
            None => self.prompts.vocabulary.encode(&prompt.text)?,
        };
        let rows = self.model.vocabulary();
        if let Some(id) = ids.iter().find(|id| **id as usize >= rows) {
            return Err(unreadable(format!("token {id} is not among the model's {rows} tokens")));
        }
        if ids.is_empty() {
            return Err(unreadable("it is empty".to_owned()));
        }
        Ok(ids)
    }
}

impl Engine for CandleEngine {
    fn observed(&self) -> &Observed {
        &self.observed
    }

    fn footprint(&self) -> Option<Footprint> {
        Some(self.footprint)
    }

    fn clock(&self) -> Stopwatch {
        Stopwatch::real()
    }

    fn has_thinking_switch(&self) -> bool {
        self.prompts.has_thinking_switch()
    }

    fn render(&self, messages: &[Message], thinking: Stated<bool>) -> Result<Prompt, EngineError> {
        self.prompts.render(messages, thinking)
    }

    fn tokenize(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        self.prompts.vocabulary.encode(text)
    }

    fn synthetic_prompt(&self, tokens: u32, seed: u64) -> Result<Prompt, EngineError> {
        self.prompts.synthetic(tokens, seed)
    }

    fn generate(&mut self, request: &Request) -> Result<Generation, EngineError> {
        let clock = self.clock();
        let prompt = self.ids_of(&request.prompt)?;
        self.check_room(prompt.len())?;
        let cached = self.begin(&prompt);
        let limits = Limits {
            max_tokens: request.max_tokens.max(1),
            prefill_chunk: self.prefill_chunk,
            sampling: &request.sampling,
        };
        let vocabulary = &self.prompts.vocabulary;
        let ends = |token| !request.ignore_eos && vocabulary.is_end(token);
        let tokens = generate(self.model.as_mut(), &prompt[cached..], &limits, ends, &clock)?;
        let spoken = tokens.ids.len() - usize::from(tokens.stop == StopReason::Eos);
        Ok(Generation {
            text: vocabulary.decode(&tokens.ids[..spoken])?,
            tokens: Some(tokens.ids.len() as u32),
            prompt_tokens: Some(prompt.len() as u32),
            cached_tokens: Some(cached as u32),
            stop: tokens.stop,
            times: TokenTimes {
                first_answer: vocabulary.answer_start(&prompt, &tokens.ids),
                deliveries: tokens.deliveries,
                prefill: Some(tokens.prefill),
                compute: Some(tokens.compute),
            },
            ids: Some(tokens.ids),
            speculation: None,
        })
    }

    fn log_likelihoods(
        &mut self,
        prompt: &Prompt,
        continuations: &[String],
    ) -> Result<LogLikelihoods, EngineError> {
        self.read_continuations(prompt, continuations)
    }

    fn forget(&mut self) -> Result<(), EngineError> {
        self.model.clear();
        Ok(())
    }
}

fn unreadable(problem: String) -> EngineError {
    EngineError::Failed { doing: "reading the prompt", problem }
}
