//! A small engine for the tests of the driver: it answers from a closure and notes what it was asked.

use planrun::condition::{Observed, Stated};
use planrun::engine::{Engine, EngineError};
use planrun::generation::{
    Delivery, Generation, Message, Prompt, Request, StopReason, Stopwatch, TokenTimes,
};

/// What was asked of the engine, in order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Call {
    Forget,
    Generate { prompt: String, max_tokens: u32, seed: u64, ignore_eos: bool },
}

pub(crate) struct FakeEngine {
    pub(crate) calls: Vec<Call>,
    pub(crate) cached: Option<u32>,
    pub(crate) opens: bool,
    /// Its template closes the reasoning block, whatever the switch says.
    pub(crate) closes: bool,
    /// Where it fails, it is because nobody is there.
    pub(crate) gone: bool,
    pub(crate) answer: fn(&str) -> Result<&'static str, &'static str>,
    observed: Observed,
}

impl FakeEngine {
    pub(crate) fn new(answer: fn(&str) -> Result<&'static str, &'static str>) -> Self {
        let observed = Observed { context_length: 100.into(), ..Observed::default() };
        Self {
            calls: Vec::new(),
            cached: Some(0),
            opens: false,
            closes: false,
            gone: false,
            answer,
            observed,
        }
    }
}

fn prompt(text: String) -> Prompt {
    let ids = Some(text.bytes().map(u32::from).collect());
    Prompt { text, ids, chat: None }
}

impl Engine for FakeEngine {
    fn observed(&self) -> &Observed {
        &self.observed
    }

    fn clock(&self) -> Stopwatch {
        Stopwatch::virtual_clock()
    }

    fn has_thinking_switch(&self) -> bool {
        true
    }

    fn render(&self, messages: &[Message], thinking: Stated<bool>) -> Result<Prompt, EngineError> {
        let turns = messages.iter().fold(String::new(), |text, turn| text + &turn.content + "|");
        let end = match (thinking, self.opens) {
            (Stated::Set(false), _) => "<think></think>",
            _ if self.closes => "<think></think>",
            (_, true) => "<think>",
            (_, false) => "",
        };
        Ok(prompt(turns + end))
    }

    fn synthetic_prompt(&self, tokens: u32, seed: u64) -> Result<Prompt, EngineError> {
        Ok(prompt(format!("{seed:0width$}", width = tokens as usize)))
    }

    fn generate(&mut self, request: &Request) -> Result<Generation, EngineError> {
        self.calls.push(Call::Generate {
            prompt: request.prompt.text.clone(),
            max_tokens: request.max_tokens,
            seed: request.sampling.seed,
            ignore_eos: request.ignore_eos,
        });
        let gone = self.gone;
        let text = (self.answer)(&request.prompt.text).map_err(|problem| {
            let (doing, problem) = ("answering", problem.to_owned());
            if gone { EngineError::Gone { doing, problem } } else { EngineError::Failed { doing, problem } }
        })?;
        let deliveries = vec![Delivery { at: 0.5, tokens: Some(1) }, Delivery { at: 1.0, tokens: Some(1) }];
        Ok(Generation {
            text: text.into(),
            ids: Some(vec![1, 2]),
            tokens: Some(2),
            prompt_tokens: None,
            cached_tokens: self.cached,
            stop: StopReason::Eos,
            times: TokenTimes { deliveries, first_answer: Some(0), prefill: Some(0.25), compute: None },
            speculation: None,
        })
    }

    fn forget(&mut self) -> Result<(), EngineError> {
        self.calls.push(Call::Forget);
        Ok(())
    }
}
