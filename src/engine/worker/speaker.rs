//! Prompts to a worker and replies from it.

use super::error::{lost, not_answered};
use super::process::{Heard, Process};
use super::protocol::{Asked, End, Said, Stop};
use crate::engine::EngineError;
use crate::engine::outside::Speaker;
use crate::generation::{Compute, Delivery, Generation, Request, StopReason, TokenTimes};

/// A worker that answers one request after the other.
#[derive(Debug)]
pub(super) struct WorkerSpeaker {
    pub(super) process: Process,
    /// Tokens that end a reply.
    pub(super) ends: Vec<u32>,
    /// Tokens that prompt and reply may have together, where the model says.
    pub(super) context: Option<u32>,
    /// Prompts may come from the cache.
    pub(super) warm: bool,
    /// Of the last reply, in MiB.
    pub(super) accelerator_peak: Option<f64>,
}

impl Speaker for WorkerSpeaker {
    fn generate(&mut self, request: &Request) -> Result<Generation, EngineError> {
        let ids = request.prompt.ids.as_deref().unwrap_or_default();
        let most = self.most(ids.len(), request.max_tokens.max(1))?;
        let sampling = &request.sampling;
        let asked = Asked {
            ids,
            max_tokens: most,
            ends: if request.ignore_eos { &[] } else { &self.ends },
            temperature: sampling.temperature,
            top_k: sampling.top_k,
            top_p: sampling.top_p,
            seed: sampling.seed,
            warm: self.warm,
        };
        self.process.say(&asked).map_err(lost)?;
        self.accelerator_peak = None;
        let (reply, end) = self.listen()?;
        self.accelerator_peak = end.peak_memory_mib;
        reply.whole(&end, most < request.max_tokens)
    }

    /// Nothing to do: where the cache is to be cold, each request begins with a new one.
    fn forget(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    fn spells_out(&self) -> bool {
        true
    }

    fn accelerator_peak(&self) -> Option<f64> {
        self.accelerator_peak
    }

    fn process(&self) -> Option<u32> {
        Some(self.process.id())
    }
}

impl WorkerSpeaker {
    /// Tokens that the reply may have: the last one of the context is chosen and never read.
    fn most(&self, prompt: usize, wanted: u32) -> Result<u32, EngineError> {
        let Some(context) = self.context else { return Ok(wanted) };
        match (context as usize + 1).checked_sub(prompt) {
            None | Some(0) => Err(EngineError::ContextFull { tokens: prompt, context: context as usize }),
            Some(room) => Ok(wanted.min(room as u32)),
        }
    }

    fn listen(&mut self) -> Result<(Reply, End), EngineError> {
        let mut reply = Reply::default();
        loop {
            let Heard { at, said } = self.process.hear().map_err(lost)?;
            match said {
                Said::Token { ids, at: chosen } => reply.add(at, chosen, &ids),
                Said::End(end) => return Ok((reply, end)),
                Said::Error(trouble) => return Err(not_answered(&trouble)),
                Said::Ready(_) => return Err(lost("it said twice that it is ready".to_owned())),
            }
        }
    }
}

/// A reply as far as it has arrived.
#[derive(Debug, Default)]
struct Reply {
    ids: Vec<u32>,
    deliveries: Vec<Delivery>,
    /// By the worker's clock: when its first token was chosen, and when its last.
    chosen: Option<(f64, f64)>,
    /// Lines with tokens: forward passes.
    passes: u32,
}

impl Reply {
    /// Tokens that one read brought have arrived together.
    fn add(&mut self, at: f64, chosen: f64, ids: &[u32]) {
        self.chosen = Some((self.chosen.map_or(chosen, |(first, _)| first), chosen));
        self.passes += 1;
        self.ids.extend_from_slice(ids);
        let count = ids.len() as u32;
        match self.deliveries.last_mut() {
            Some(last) if last.at >= at => last.tokens = last.tokens.map(|tokens| tokens + count),
            _ => self.deliveries.push(Delivery { at, tokens: Some(count) }),
        }
    }

    /// The worker's own times: reading the prompt ends when the first token is chosen, so choosing that one is in it; its
    /// computing is what lies between the first token and the last, choosing and telling them included.
    fn whole(self, end: &End, context_cut_it: bool) -> Result<Generation, EngineError> {
        let arrived = self.ids.len();
        if arrived != end.tokens as usize {
            return Err(lost(format!("it counts {} tokens, and {arrived} arrived", end.tokens)));
        }
        Ok(Generation {
            text: String::new(),
            tokens: Some(end.tokens),
            prompt_tokens: Some(end.prompt_tokens),
            cached_tokens: end.cached_tokens,
            stop: match end.stop {
                Stop::Eos => StopReason::Eos,
                Stop::Length if context_cut_it => StopReason::Context,
                Stop::Length => StopReason::Length,
            },
            times: TokenTimes {
                deliveries: self.deliveries,
                first_answer: None,
                prefill: self.chosen.map(|(first, _)| first),
                compute: self
                    .chosen
                    .filter(|_| self.passes > 1)
                    .map(|(first, last)| Compute { steps: self.passes - 1, seconds: last - first }),
            },
            ids: Some(self.ids),
            speculation: None,
        })
    }
}
