//! The client: the engine `openai` as plans use it, on many threads at once.

use crate::abilities::EngineKind;
use crate::condition::{Settings, Stated};
use crate::engine::{EngineError, open};
use crate::generation::{Delivery, Prompt, Request, Sampling};
use std::path::Path;
use std::thread;

/// Tokens of the request that is not counted.
const WARMUP_TOKENS: u32 = 2;

/// What a client saw of one stream.
pub(super) struct Seen {
    pub(super) prompt: String,
    pub(super) deliveries: Vec<Delivery>,
}

/// So many streams at once, each of them `rounds` times one after the other, with `tokens` tokens.
pub(super) fn watch(url: &str, streams: usize, rounds: usize, tokens: u32) -> Result<Vec<Seen>, EngineError> {
    let one = |stream: usize| move || watch_one(url, stream, rounds, tokens);
    thread::scope(|scope| {
        let handles: Vec<_> = (0..streams).map(|stream| scope.spawn(one(stream))).collect();
        let mut seen = Vec::new();
        for handle in handles {
            let ended = handle.join().map_err(|_| EngineError::Failed {
                doing: "watching a stream",
                problem: "the thread ended in a panic".to_owned(),
            })?;
            seen.extend(ended?);
        }
        Ok(seen)
    })
}

fn watch_one(url: &str, stream: usize, rounds: usize, tokens: u32) -> Result<Vec<Seen>, EngineError> {
    let settings = Settings {
        model: "steady".to_owned().into(),
        engine: EngineKind::Openai.into(),
        url: Stated::Set(url.to_owned()),
        ..Settings::default()
    };
    let mut engine = open(&settings, Path::new(""), None)?;
    let mut ask = |round: &str, tokens: u32| {
        let text = format!("stream {stream} round {round}");
        let prompt = Prompt { text: text.clone(), ..Prompt::default() };
        let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
        let request = Request { prompt, max_tokens: tokens, sampling, ignore_eos: true };
        let generation = engine.generate(&request)?;
        Ok(Seen { prompt: text, deliveries: generation.times.deliveries })
    };
    // As in every run, the first request is set apart.
    ask("warm-up", WARMUP_TOKENS)?;
    (0..rounds).map(|round| ask(&round.to_string(), tokens)).collect()
}
