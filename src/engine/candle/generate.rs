//! The generation loop. Nothing but the model, the sampler and two readings of the clock stand in it.

use super::model::Model;
use super::sampler::Sampler;
use crate::engine::EngineError;
use crate::generation::{Compute, Delivery, Sampling, StopReason, Stopwatch};

/// Single requests use this sequence of the decoder.
pub(super) const FIRST: usize = 0;

/// How a generation is to go.
#[derive(Debug)]
pub(super) struct Limits<'a> {
    /// Most tokens generated, EOS included.
    pub(super) max_tokens: u32,
    /// Prompt tokens per forward pass.
    pub(super) prefill_chunk: usize,
    /// How tokens are chosen.
    pub(super) sampling: &'a Sampling,
}

/// What the loop leaves behind.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) ids: Vec<u32>,
    pub(super) deliveries: Vec<Delivery>,
    /// Seconds until the prompt was read.
    pub(super) prefill: f64,
    /// Forward passes after that.
    pub(super) compute: Compute,
    pub(super) stop: StopReason,
}

/// Reads `fresh` prompt tokens after those that the model holds and generates until `ends` says so, or a limit does.
///
/// The caller sees to it that `fresh` is not empty and fits.
pub(super) fn generate(
    model: &mut dyn Model,
    fresh: &[u32],
    limits: &Limits<'_>,
    ends: impl Fn(u32) -> bool,
    clock: &Stopwatch,
) -> Result<Tokens, EngineError> {
    let room = model.context() - model.held() - fresh.len();
    let most = (limits.max_tokens as usize).min(room + 1);
    let mut sampler = Sampler::new(limits.sampling);
    let mut ids = Vec::with_capacity(most);
    let mut deliveries = Vec::with_capacity(most);
    let mut logits = model.read(fresh, limits.prefill_chunk).map_err(|error| failed(&error))?;
    let prefill = clock.seconds();
    let mut compute = Compute::default();
    let stop = loop {
        let Some(token) = sampler.choose(logits) else { return Err(not_numbers()) };
        ids.push(token);
        let at = clock.seconds();
        deliveries.push(Delivery { at, tokens: Some(1) });
        if ends(token) {
            break StopReason::Eos;
        }
        if ids.len() == most {
            break if most == limits.max_tokens as usize { StopReason::Length } else { StopReason::Context };
        }
        logits = model.read(&[token], 1).map_err(|error| failed(&error))?;
        compute.steps += 1;
        compute.seconds += clock.seconds() - at;
    };
    Ok(Tokens { ids, deliveries, prefill, compute, stop })
}

fn failed(error: &candle_core::Error) -> EngineError {
    EngineError::Failed { doing: "computing the next token", problem: error.to_string() }
}

fn not_numbers() -> EngineError {
    EngineError::Failed {
        doing: "choosing the next token",
        problem: "the model's logits are not finite numbers; its weights or their quantization are broken"
            .to_owned(),
    }
}
