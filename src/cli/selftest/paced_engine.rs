//! The stand-in engine at a speed that is given from outside.

use crate::condition::{Observed, Stated};
use crate::engine::{Engine, EngineError};
use crate::generation::{Generation, Message, Prompt, Request, Stopwatch};

/// An engine whose replies arrive at a given speed; everything else is the inner engine's.
pub(super) struct PacedEngine {
    pub(super) inner: Box<dyn Engine>,
    /// Tokens per second.
    pub(super) speed: f64,
}

impl Engine for PacedEngine {
    fn observed(&self) -> &Observed {
        self.inner.observed()
    }

    fn clock(&self) -> Stopwatch {
        self.inner.clock()
    }

    fn has_thinking_switch(&self) -> bool {
        self.inner.has_thinking_switch()
    }

    fn render(&self, messages: &[Message], thinking: Stated<bool>) -> Result<Prompt, EngineError> {
        self.inner.render(messages, thinking)
    }

    fn synthetic_prompt(&self, tokens: u32, seed: u64) -> Result<Prompt, EngineError> {
        self.inner.synthetic_prompt(tokens, seed)
    }

    fn generate(&mut self, request: &Request) -> Result<Generation, EngineError> {
        let mut generation = self.inner.generate(request)?;
        let deliveries = &mut generation.times.deliveries;
        let first = deliveries.first().map_or(0.0, |delivery| delivery.at);
        for (place, delivery) in deliveries.iter_mut().enumerate() {
            delivery.at = first + place as f64 / self.speed;
        }
        Ok(generation)
    }

    fn forget(&mut self) -> Result<(), EngineError> {
        self.inner.forget()
    }
}
