//! The stand-in as the rest of the program sees it.

use super::reply::{END, id, likelihood, pieces, render, reply};
use super::script::{SALT_VARIABLE, Script, ScriptError, bits, uniform};
use crate::condition::{CacheState, Observed, Runtime, Settings, Stated};
use crate::engine::{Engine, EngineError};
use crate::fingerprint;
use crate::generation::{
    Continuation, Delivery, Generation, LogLikelihoods, Message, Prompt, Request, StopReason, Stopwatch,
    TokenTimes, as_plain_text,
};
use std::time::Duration;

/// Tokens per second with 32 bits a weight; fewer bits are faster in proportion to their square root.
const DECODE_RATE: f64 = 200.0;
/// Prompt tokens per second.
const PREFILL_RATE: f64 = 4000.0;
const CONTEXT: u32 = 8192;

/// A deterministic engine on a virtual clock.
#[derive(Debug)]
pub(in crate::engine) struct ScriptedEngine {
    script: Script,
    settings: Settings,
    observed: Observed,
    clock: Stopwatch,
    salt: String,
    bits_per_weight: f64,
    /// The last prompt, as the prefix cache of one sequence; always empty where the cache is to be cold.
    held: Vec<u32>,
}

impl ScriptedEngine {
    /// Reads the script from the model's name.
    pub(in crate::engine) fn open(settings: &Settings) -> Result<Self, EngineError> {
        let model = settings.model.get().map_or("scripted", String::as_str);
        let script = Script::parse(model).map_err(|error: ScriptError| EngineError::Unsupported {
            field: "model",
            problem: error.to_string(),
            remedy: "name the model `scripted` or `scripted:WORDS`".to_owned(),
        })?;
        if script.missing {
            return Err(EngineError::NotFound {
                path: model.into(),
                problem: "the script says so".to_owned(),
                remedy: "take `missing` out of the model's name".to_owned(),
            });
        }
        let scheme = settings.quantization.get().map_or("f32", String::as_str);
        let bits_per_weight = bits_of(scheme);
        Ok(Self {
            observed: observe(settings, model, scheme, bits_per_weight),
            script,
            settings: settings.clone(),
            clock: Stopwatch::virtual_clock(),
            salt: std::env::var(SALT_VARIABLE).unwrap_or_default(),
            bits_per_weight,
            held: Vec::new(),
        })
    }

    /// How many leading tokens of a prompt are held. The last one is always read, and then the whole prompt is held.
    fn read_through_cache(&mut self, prompt: &[u32]) -> u32 {
        if self.script.forgets || self.settings.prefix_cache.get() != Some(&CacheState::Warm) {
            return 0;
        }
        let shared = self.held.iter().zip(prompt).take_while(|(held, asked)| held == asked).count();
        self.held = prompt.to_vec();
        shared.min(prompt.len().saturating_sub(1)) as u32
    }

    /// Carries out the misfortune that the script has for this prompt, if any.
    fn meet_fate(&self, prompt: &str) -> Result<(), EngineError> {
        let strikes = |share: f64, name: &str| share > 0.0 && uniform(&[name, &self.salt, prompt]) < share;
        if strikes(self.script.crash, "crash") {
            std::process::abort();
        }
        if strikes(self.script.oom, "oom") {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
        if strikes(self.script.starves, "starves") {
            std::alloc::handle_alloc_error(std::alloc::Layout::new::<[u64; 1024]>());
        }
        while strikes(self.script.slow, "slow") {
            std::thread::sleep(Duration::from_secs(60));
        }
        if strikes(self.script.fails, "fails") {
            return Err(EngineError::Failed { doing: "answering", problem: "the script says so".to_owned() });
        }
        Ok(())
    }

    /// A factor around 1 with the script's standard deviation, by the sum of twelve uniform numbers.
    fn noise(&self, prompt: &str, what: &str) -> f64 {
        let draw = |at: u32| uniform(&["noise", what, &self.salt, prompt, &at.to_string()]);
        let normal = (0..12).map(draw).sum::<f64>() - 6.0;
        (1.0 + self.script.noise * normal).max(0.1)
    }

    /// Tokens per second of this cell: the same for every run of it.
    fn decode_rate(&self) -> f64 {
        let threads = f64::from(self.settings.threads.or(1).clamp(1, 64));
        DECODE_RATE * self.script.speed * (32.0 / self.bits_per_weight).sqrt() * threads.sqrt()
    }

    /// Quality lost to few bits: nothing down to 4, then a tenth for each bit.
    fn loss(&self) -> f64 {
        ((4.0 - self.bits_per_weight) * 0.1).max(0.0)
    }

    fn times(&self, prompt: &str, fresh_tokens: u32, tokens: usize) -> (f64, Vec<Delivery>) {
        let start = self.clock.restart();
        let prefill =
            f64::from(fresh_tokens) / (PREFILL_RATE * self.script.speed) * self.noise(prompt, "prefill");
        let gap = self.noise(prompt, "decode") / self.decode_rate();
        self.clock.advance(prefill);
        let read = start.seconds();
        let deliver = |_| {
            self.clock.advance(gap);
            Delivery { at: start.seconds(), tokens: Some(1) }
        };
        (read, (0..tokens).map(deliver).collect())
    }
}

impl Engine for ScriptedEngine {
    fn observed(&self) -> &Observed {
        &self.observed
    }

    fn clock(&self) -> Stopwatch {
        self.clock.restart()
    }

    fn has_thinking_switch(&self) -> bool {
        !self.settings.without_chat_template()
    }

    fn render(&self, messages: &[Message], thinking: Stated<bool>) -> Result<Prompt, EngineError> {
        let text = if self.settings.without_chat_template() {
            as_plain_text(messages)
        } else {
            render(messages, thinking.get().copied())
        };
        Ok(Prompt { ids: Some(ids_of(&text)), text, chat: None })
    }

    fn synthetic_prompt(&self, tokens: u32, seed: u64) -> Result<Prompt, EngineError> {
        let seed = seed.to_string();
        let word = |at: u32| format!("w{}", bits(&["synthetic", &seed, &at.to_string()]) % 10_000);
        let text = (0..tokens).map(word).collect::<Vec<_>>().join(" ");
        Ok(Prompt { ids: Some(ids_of(&text)), text, chat: None })
    }

    fn generate(&mut self, request: &Request) -> Result<Generation, EngineError> {
        let prompt = &request.prompt;
        self.meet_fate(&prompt.text)?;
        let prompt_ids = prompt.ids.clone().unwrap_or_else(|| ids_of(&prompt.text));
        let prompt_tokens = prompt_ids.len() as u32;
        let context = self.settings.context_length.or(CONTEXT);
        let Some(room) = context.checked_sub(prompt_tokens) else {
            return Err(EngineError::ContextFull {
                tokens: prompt_tokens as usize,
                context: context as usize,
            });
        };
        let whole = reply(&self.script, &prompt.text, self.loss());
        // The last token is chosen and need not be read.
        let most = request.max_tokens.clamp(1, room + 1) as usize;
        let spoken = spoken(&whole, most, request.ignore_eos);
        let ended = !request.ignore_eos && spoken.len() < most;
        let mut ids: Vec<u32> = spoken.iter().map(|piece| id(piece)).collect();
        ids.extend(ended.then_some(END));
        let cached = self.read_through_cache(&prompt_ids);
        let (prefill, deliveries) = self.times(&prompt.text, prompt_tokens - cached, ids.len());
        Ok(Generation {
            text: spoken.concat(),
            tokens: Some(ids.len() as u32),
            prompt_tokens: Some(prompt_tokens),
            cached_tokens: Some(cached),
            stop: match () {
                () if ended => StopReason::Eos,
                () if most < request.max_tokens as usize => StopReason::Context,
                () => StopReason::Length,
            },
            times: TokenTimes {
                first_answer: answer_start(&spoken),
                deliveries,
                prefill: Some(prefill),
                compute: None,
            },
            ids: Some(ids),
            speculation: None,
        })
    }

    fn log_likelihoods(
        &mut self,
        prompt: &Prompt,
        continuations: &[String],
    ) -> Result<LogLikelihoods, EngineError> {
        self.meet_fate(&prompt.text)?;
        let start = self.clock.restart();
        let context = prompt.text.trim_end();
        let moved = &prompt.text[context.len()..];
        let read = |text: &String| Continuation { tokens: likelihood(context, &format!("{moved}{text}")) };
        let continuations: Vec<Continuation> = continuations.iter().map(read).collect();
        let context_tokens = pieces(context).len() as u32;
        let tokens: usize = continuations.iter().map(|continuation| continuation.tokens.len()).sum();
        let seconds = (f64::from(context_tokens) + tokens as f64) / (PREFILL_RATE * self.script.speed);
        self.clock.advance(seconds * self.noise(&prompt.text, "prefill"));
        Ok(LogLikelihoods { context_tokens, cached_tokens: Some(0), continuations, seconds: start.seconds() })
    }

    fn forget(&mut self) -> Result<(), EngineError> {
        self.held.clear();
        Ok(())
    }
}

fn ids_of(text: &str) -> Vec<u32> {
    pieces(text).into_iter().map(id).collect()
}

/// The tokens of the reply up to the limit; said over and over when the end is to be ignored.
fn spoken(whole: &str, most: usize, ignore_end: bool) -> Vec<&str> {
    let pieces = pieces(whole);
    if ignore_end && !pieces.is_empty() {
        return pieces.into_iter().cycle().take(most).collect();
    }
    if ignore_end { vec!["and "; most] } else { pieces.into_iter().take(most).collect() }
}

fn answer_start(spoken: &[&str]) -> Option<usize> {
    let start = match spoken.iter().position(|piece| piece.trim() == "</think>") {
        Some(end) => end + 1,
        None if spoken.iter().any(|piece| piece.trim() == "<think>") => return None,
        None => 0,
    };
    (start < spoken.len()).then_some(start)
}

/// Bits a weight of a scheme, by the digit in its name.
fn bits_of(scheme: &str) -> f64 {
    let digits: String =
        scheme.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(32.0)
}

fn observe(settings: &Settings, model: &str, scheme: &str, bits_per_weight: f64) -> Observed {
    let name = |part: &str| fingerprint::of_parts(["scripted", part]);
    Observed {
        source: "scripted 1".to_owned().into(),
        weights: name(model).into(),
        quantization: scheme.to_owned().into(),
        bits_per_weight: bits_per_weight.into(),
        file_format: "script".to_owned().into(),
        tokenizer: name("words").into(),
        chat_template: if settings.without_chat_template() { Stated::Unset } else { name("chatml").into() },
        template_date: Stated::Unset,
        special_tokens: "ends=<|im_end|>".to_owned().into(),
        kv_cache_dtype: settings.kv_cache_dtype.get().cloned().unwrap_or_else(|| "f32".to_owned()).into(),
        runtime: Runtime { name: "scripted".to_owned(), version: "1".to_owned(), binary: None }.into(),
        build_flags: Stated::Unset,
        threads: settings.threads.or(1).into(),
        placement: Stated::Unset,
        context_length: settings.context_length.or(CONTEXT).into(),
        prefill_chunk: Stated::Unset,
        prefix_cache: CacheState::Cold.into(),
        ..Observed::default()
    }
}
