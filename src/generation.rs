//! What goes to an engine and what comes back: prompts, requests, generations, and the one clock.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Who speaks in a [`Message`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions that stand before the conversation.
    System,
    /// The person, or the harness in its place.
    User,
    /// The model.
    Assistant,
    /// The answer of a tool.
    Tool,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// A conversation as plain text, for a model that is read without a chat template: a blank line between the turns, and one
/// space before an answer that follows its question, unless that ends in white space.
pub fn as_plain_text(messages: &[Message]) -> String {
    let mut text = String::new();
    for message in messages {
        let answers = message.role == Role::Assistant;
        text.push_str(match text.chars().next_back() {
            None => "",
            Some(last) if answers && last.is_whitespace() => "",
            Some(_) if answers => " ",
            Some(_) => "\n\n",
        });
        text.push_str(&message.content);
    }
    text
}

/// A prompt as the model receives it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prompt {
    /// The rendered text, special tokens spelled out; where the server renders, what it is sent, as JSON.
    pub text: String,
    /// Its token ids where the engine exposes its tokenizer; `None` where it does not.
    pub ids: Option<Vec<u32>>,
    /// The conversation, where the server renders it.
    pub chat: Option<Chat>,
}

/// A conversation that a server renders with a template of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chat {
    /// The turns.
    pub messages: Vec<Message>,
    /// The thinking switch; `None` leaves it to the server.
    pub thinking: Option<bool>,
}

/// How the next token is chosen. Temperature 0 is greedy, and then the other fields do not act.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    /// Softmax temperature; 0 is greedy.
    pub temperature: f64,
    /// Keep the k most likely tokens; `None` keeps all.
    pub top_k: Option<u32>,
    /// Keep the smallest set whose probability reaches p; `None` keeps all.
    pub top_p: Option<f64>,
    /// Seed of the sampler.
    pub seed: u64,
}

/// One generation to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The rendered prompt.
    pub prompt: Prompt,
    /// Upper limit of generated tokens, EOS included.
    pub max_tokens: u32,
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// Go on after an end-of-sequence token (fixed-length timing).
    pub ignore_eos: bool,
}

/// Why a generation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model ended its turn (EOS).
    Eos,
    /// `max_tokens` was reached.
    Length,
    /// The context window was full.
    Context,
}

/// Tokens that reached the reader together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delivery {
    /// Seconds since the request was sent.
    pub at: f64,
    /// How many tokens arrived; `None` where it cannot be told.
    pub tokens: Option<u32>,
}

/// When the tokens of one generation arrived, in seconds since the request was sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TokenTimes {
    /// In order of arrival.
    pub deliveries: Vec<Delivery>,
    /// Index of the first delivery after the reasoning (the answer's first token), where it is known.
    pub first_answer: Option<usize>,
    /// Seconds that the engine itself reports for reading the prompt; `None` where it does not.
    pub prefill: Option<f64>,
    /// The engine's own computing after the prompt was read; `None` where it does not report it.
    pub compute: Option<Compute>,
}

impl TokenTimes {
    /// Index of the delivery that brought the token at `index`; `None` where an earlier delivery's tokens are not counted.
    pub fn delivery_of(&self, index: usize) -> Option<usize> {
        let mut arrived = 0;
        for (place, delivery) in self.deliveries.iter().enumerate() {
            arrived += delivery.tokens? as usize;
            if index < arrived {
                return Some(place);
            }
        }
        None
    }
}

/// Forward passes after the prompt was read, by the engine's own clock: what a reply's time has beyond them is choosing
/// and delivering tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Compute {
    /// Passes; as many as tokens, unless several are computed at once.
    pub steps: u32,
    /// Seconds in them.
    pub seconds: f64,
}

/// Drafted and accepted tokens of speculative decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpeculationCounts {
    /// Tokens proposed by the draft.
    pub drafted: u64,
    /// Of these, accepted by the model.
    pub accepted: u64,
}

/// What an engine gave back for one [`Request`].
#[derive(Debug, Clone, PartialEq)]
pub struct Generation {
    /// Generated text, special tokens of the turn's end left out, thinking marks kept.
    pub text: String,
    /// Generated token ids, EOS included; `None` where the engine does not give them.
    pub ids: Option<Vec<u32>>,
    /// Generated tokens, EOS included, from ids or the engine's own usage count.
    pub tokens: Option<u32>,
    /// Prompt tokens as the engine counted them.
    pub prompt_tokens: Option<u32>,
    /// Of these, taken from a prefix cache; `None` when unknown.
    pub cached_tokens: Option<u32>,
    /// Why it ended.
    pub stop: StopReason,
    /// Arrival times.
    pub times: TokenTimes,
    /// Counts of speculative decoding, where it was on.
    pub speculation: Option<SpeculationCounts>,
}

/// A token of a given continuation, as a model sees it after everything that stands before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenLikelihood {
    /// Its id.
    pub id: u32,
    /// Natural logarithm of its probability: its logit less the logarithm of the sum of all exponentials.
    pub log_probability: f64,
    /// No token is more likely there; of equal ones the lowest id.
    pub greedy: bool,
}

/// A given continuation of a prompt, token by token.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Continuation {
    /// At least one.
    pub tokens: Vec<TokenLikelihood>,
}

impl Continuation {
    /// Log-likelihood of the whole, in nats: the sum over its tokens.
    pub fn log_likelihood(&self) -> f64 {
        self.tokens.iter().map(|token| token.log_probability).sum()
    }

    /// True if greedy decoding would give this continuation.
    pub fn is_greedy(&self) -> bool {
        self.tokens.iter().all(|token| token.greedy)
    }
}

/// What an engine gave back for given continuations of one prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct LogLikelihoods {
    /// Tokens read before the continuations.
    pub context_tokens: u32,
    /// Of these, taken from a prefix cache; `None` when unknown.
    pub cached_tokens: Option<u32>,
    /// One for each continuation, in the order in which they were given.
    pub continuations: Vec<Continuation>,
    /// Seconds that reading the prompt and all continuations took.
    pub seconds: f64,
}

/// The one clock. Real, or virtual for the scripted engine, so that tests and dry runs take no time and repeat exactly.
#[derive(Debug, Clone)]
pub struct Stopwatch(Clock);

#[derive(Debug, Clone)]
enum Clock {
    Real(Instant),
    Virtual { now: Arc<AtomicU64>, start: u64 },
}

impl Stopwatch {
    /// Starts a real stopwatch.
    pub fn real() -> Self {
        Self(Clock::Real(Instant::now()))
    }

    /// Starts a stopwatch that moves only by [`Stopwatch::advance`].
    pub fn virtual_clock() -> Self {
        Self(Clock::Virtual { now: Arc::default(), start: 0 })
    }

    /// A stopwatch on the same clock that starts at zero now.
    #[must_use]
    pub fn restart(&self) -> Self {
        match &self.0 {
            Clock::Real(_) => Self::real(),
            Clock::Virtual { now, .. } => {
                Self(Clock::Virtual { now: Arc::clone(now), start: now.load(Ordering::Relaxed) })
            }
        }
    }

    /// True for a clock that moves only by [`Stopwatch::advance`]: nothing on it is a measurement of this machine.
    pub fn is_virtual(&self) -> bool {
        matches!(self.0, Clock::Virtual { .. })
    }

    /// Seconds since it was started.
    pub fn seconds(&self) -> f64 {
        match &self.0 {
            Clock::Real(start) => start.elapsed().as_secs_f64(),
            Clock::Virtual { now, start } => (now.load(Ordering::Relaxed) - start) as f64 * 1e-9,
        }
    }

    /// Moves a virtual clock on; a real one goes by itself and is left alone.
    pub fn advance(&self, seconds: f64) {
        if let Clock::Virtual { now, .. } = &self.0 {
            now.fetch_add((seconds.max(0.0) * 1e9).round() as u64, Ordering::Relaxed);
        }
    }
}
