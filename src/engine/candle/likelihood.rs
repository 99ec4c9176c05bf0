//! Log-likelihoods of given continuations: the context is read once, each continuation on top of it.

use super::decoder::Span;
use super::engine::CandleEngine;
use super::generate::FIRST;
use super::kernels::largest;
use super::sampler::first_at;
use crate::engine::{Engine, EngineError};
use crate::generation::{Continuation, LogLikelihoods, Prompt, TokenLikelihood};

impl CandleEngine {
    /// See [`Engine::log_likelihoods`]. The context is always read from an empty cache.
    pub(super) fn read_continuations(
        &mut self,
        prompt: &Prompt,
        continuations: &[String],
    ) -> Result<LogLikelihoods, EngineError> {
        let clock = self.clock();
        let context = self.prompts.encode(prompt.text.trim_end())?;
        let tails = continuations.iter().map(|text| self.tail(&context, prompt, text));
        let tails = tails.collect::<Result<Vec<_>, _>>()?;
        // The last token of a continuation is judged and never read.
        let longest = tails.iter().map(|tail| tail.len() - 1).max().unwrap_or_default();
        self.check_room(context.len() + longest)?;
        let after_context = self.logits(&context)?;
        let read = tails.iter().map(|tail| self.continuation(context.len(), &after_context, tail));
        Ok(LogLikelihoods {
            context_tokens: context.len() as u32,
            cached_tokens: Some(0),
            continuations: read.collect::<Result<_, _>>()?,
            seconds: clock.seconds(),
        })
    }

    /// Tokens of a continuation: those of prompt and continuation together, beyond as many as the context has.
    fn tail(&mut self, context: &[u32], prompt: &Prompt, text: &str) -> Result<Vec<u32>, EngineError> {
        let whole = self.prompts.encode(&format!("{}{text}", prompt.text))?;
        match whole.get(context.len()..) {
            Some(tail) if !tail.is_empty() => self.checked(tail),
            _ => Err(unreadable(format!("the continuation {text:?} adds no token to the prompt"))),
        }
    }

    /// Reads one continuation after the first `context` tokens in the cache; `first` are the logits that follow them.
    fn continuation(
        &mut self,
        context: usize,
        first: &[f32],
        tail: &[u32],
    ) -> Result<Continuation, EngineError> {
        let mut tokens = vec![likelihood(first, tail[0])];
        if tail.len() > 1 {
            let chunk = self.prefill_chunk;
            let decoder = self.decoder("scorer", "the likelihoods of given answers")?;
            decoder.cache(FIRST).truncate(context);
            let span = Span { sequence: FIRST, tokens: &tail[..tail.len() - 1] };
            let next = |index: usize, logits: &[f32]| tokens.push(likelihood(logits, tail[index + 1]));
            decoder.read_each(span, chunk, next).map_err(|error| unreadable(error.to_string()))?;
        }
        if tokens.iter().any(|token| !token.log_probability.is_finite()) {
            let problem =
                "the model's logits are not finite numbers; its weights or their quantization are broken";
            return Err(unreadable(problem.to_owned()));
        }
        Ok(Continuation { tokens })
    }
}

/// `ln softmax(logits)[id]`, summed in double precision.
fn likelihood(logits: &[f32], id: u32) -> TokenLikelihood {
    let top = largest(logits);
    let most = f64::from(top);
    let total: f64 = logits.iter().map(|&logit| (f64::from(logit) - most).exp()).sum();
    let log_probability = f64::from(logits[id as usize]) - most - total.ln();
    TokenLikelihood { id, log_probability, greedy: first_at(logits, top) == Some(id) }
}

fn unreadable(problem: String) -> EngineError {
    EngineError::Failed { doing: "reading continuations", problem }
}
