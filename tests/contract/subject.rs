//! An engine that is held to the contract, and what is known of it beforehand.

use super::clauses;
use super::peers::Heard;
use planrun::abilities::Abilities;
use planrun::condition::{CacheState, Settings, Stated};
use planrun::engine::{Endpoint, Engine, EngineError, open};
use planrun::generation::{Generation, Message, Prompt, Request, Role, Sampling};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// How an engine is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// As every plan does that says nothing else.
    Cold,
    /// With the prefix cache.
    Warm,
    /// With speculative decoding.
    Drafting,
}

impl Start {
    /// Settings with what this start asks for.
    pub(crate) fn of(self, mut settings: Settings) -> Settings {
        match self {
            Self::Cold => {}
            Self::Warm => settings.prefix_cache = CacheState::Warm.into(),
            Self::Drafting => settings.speculation = "ngram:2".to_owned().into(),
        }
        settings
    }
}

/// What is known of an engine and of the model that it holds.
pub(crate) struct Traits {
    /// What it can do: the table's row, and where one kind stands for many programs what this one can do beyond it.
    pub(crate) able: Abilities,
    /// A question whose greedy reply ends by itself within so many tokens.
    pub(crate) question: (&'static str, u32),
    /// Its context, where a prompt beyond it is an error; `None` where nobody knows, or it reads on.
    pub(crate) context: Option<u32>,
    /// Every token takes about a second: few are asked for.
    pub(crate) slow: bool,
}

/// What a peer heard since it was started.
pub(crate) type Listener = Box<dyn Fn() -> Vec<Heard>>;

/// An engine that is ready to answer.
pub(crate) struct Opened {
    pub(crate) engine: Box<dyn Engine>,
    /// `None` where nobody listens: in this process, and on real servers.
    pub(crate) heard: Option<Listener>,
    /// What must outlive it: servers, folders.
    _keeps: Box<dyn Any>,
}

impl Opened {
    /// The engine under these settings.
    pub(crate) fn new(settings: &Settings, base: &Path, endpoint: Option<&Endpoint>) -> Self {
        let engine =
            open(settings, base, endpoint).unwrap_or_else(|error| panic!("it does not open: {error}"));
        Self { engine, heard: None, _keeps: Box::new(()) }
    }

    pub(crate) fn heard_by(self, heard: impl Fn() -> Vec<Heard> + 'static) -> Self {
        Self { heard: Some(Box::new(heard)), ..self }
    }

    pub(crate) fn keeping(self, keeps: impl Any) -> Self {
        Self { _keeps: Box::new(keeps), ..self }
    }
}

/// An engine to hold to the contract.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) traits: Traits,
    pub(crate) open: Box<dyn Fn(Start) -> Opened>,
}

impl Subject {
    /// Asks it what every clause asks, in every way of starting that it has.
    ///
    /// # Panics
    /// With its name and each clause that it breaks.
    pub(crate) fn keeps_the_contract(&self) {
        let can = |setting: &str| self.traits.able.optional.contains(&setting);
        let mut broken = Vec::new();
        for (start, clauses, starts) in [
            (Start::Cold, clauses::COLD, true),
            (Start::Warm, clauses::WARM, can("prefix_cache")),
            (Start::Drafting, clauses::DRAFTING, can("speculation")),
        ] {
            if starts {
                broken.extend(self.broken(start, clauses));
            }
        }
        assert!(broken.is_empty(), "{} breaks the contract:\n{}", self.name, broken.join("\n"));
    }

    fn broken(&self, start: Start, clauses: &[clauses::Clause]) -> Vec<String> {
        let opened = catch_unwind(AssertUnwindSafe(|| (self.open)(start)));
        let mut opened = match opened {
            Ok(opened) => opened,
            Err(panic) => return vec![format!("- started {start:?}: {}", words_of(&*panic))],
        };
        let mut broken = Vec::new();
        for (clause, holds) in clauses {
            let mut asking = Asking {
                engine: opened.engine.as_mut(),
                traits: &self.traits,
                start,
                heard: opened.heard.as_ref(),
            };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| holds(&mut asking))) {
                broken.push(format!("- {clause}: {}", words_of(&*panic)));
            }
        }
        broken
    }
}

fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked without words").to_owned()
}

/// An engine with what is known of it, as a clause sees it.
pub(crate) struct Asking<'a> {
    pub(crate) engine: &'a mut dyn Engine,
    pub(crate) traits: &'a Traits,
    pub(crate) start: Start,
    heard: Option<&'a Listener>,
}

/// Greedy decoding.
pub(crate) const GREEDY: Sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };

impl Asking<'_> {
    /// A conversation of one turn; where the model can think, it is told not to.
    pub(crate) fn rendered(&self, text: &str) -> Prompt {
        let thinking = if self.engine.has_thinking_switch() { Stated::Set(false) } else { Stated::Unset };
        self.rendered_with(text, thinking)
    }

    pub(crate) fn rendered_with(&self, text: &str, thinking: Stated<bool>) -> Prompt {
        let message = Message { role: Role::User, content: text.to_owned() };
        self.engine.render(&[message], thinking).unwrap()
    }

    /// The question, greedily.
    pub(crate) fn question(&self, max_tokens: u32) -> Request {
        let prompt = self.rendered(self.traits.question.0);
        Request { prompt, max_tokens, sampling: GREEDY, ignore_eos: false }
    }

    /// Something to go on with, greedily: a shorter prompt where each token takes its time.
    pub(crate) fn anything(&self, max_tokens: u32) -> Request {
        if !self.traits.slow {
            return self.question(max_tokens);
        }
        let prompt = self.engine.synthetic_prompt(3, 1).unwrap();
        Request { prompt, ..self.question(max_tokens) }
    }

    /// Asks as a run does: cold, unless the plan wants it warm.
    pub(crate) fn try_to_ask(&mut self, request: &Request) -> Result<Generation, EngineError> {
        if self.start != Start::Warm {
            self.engine.forget().unwrap();
        }
        self.engine.generate(request)
    }

    /// The reply, which must be as every reply is.
    pub(crate) fn ask(&mut self, request: &Request) -> Generation {
        let reply = self.try_to_ask(request).unwrap_or_else(|error| panic!("no reply: {error}"));
        clauses::check_reply(&reply, request, self.traits, self.start);
        reply
    }

    /// What the peer heard last; `None` where nobody listens.
    pub(crate) fn heard(&self) -> Option<Heard> {
        self.heard.map(|listen| listen().pop().expect("a request reached the peer"))
    }

    /// True if a peer listens, which also meets with mishaps on demand.
    pub(crate) fn is_scripted(&self) -> bool {
        self.heard.is_some()
    }
}
