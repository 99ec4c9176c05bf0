//! A pretended model with pico's tokenizer. Its greedy reply is the alphabet from a letter that the sum of the prompt's ids chooses
//! (the seed shifts it where it is to sample), and it ends after `z`.

use planrun::engine::Vocabulary;
use planrun::engine::pico::assets;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};

/// Tokens of prompt and reply together.
pub(crate) const CONTEXT: u32 = 512;
/// A prompt with these letters makes its peer fail in the middle of the reply.
pub(crate) const MISHAP: &str = "~~~";
/// `<|im_end|>`.
pub(crate) const END: u32 = 505;
/// `a` to `z`.
const LETTERS: RangeInclusive<u32> = 64..=89;

/// A request as the peer understood it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Heard {
    /// The prompt's text, where it came as text or was rendered by the peer.
    pub(crate) text: Option<String>,
    /// Its tokens.
    pub(crate) ids: Vec<u32>,
    /// Its text, however it came.
    pub(crate) read: String,
    /// The thinking switch, where the peer renders.
    pub(crate) thinking: Option<bool>,
    pub(crate) max_tokens: u32,
    pub(crate) temperature: f64,
    /// `None` where all tokens are kept.
    pub(crate) top_k: Option<u32>,
    /// `None` where all tokens are kept.
    pub(crate) top_p: Option<f64>,
    pub(crate) seed: u64,
    pub(crate) ignore_eos: bool,
}

/// A reply.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    /// The ending token included.
    pub(crate) ids: Vec<u32>,
    pub(crate) prompt: u32,
    /// Of these, from the cache.
    pub(crate) cached: u32,
    /// `eos`, `length` or `context`.
    pub(crate) stop: &'static str,
    /// The peer is to fail in the middle of it.
    pub(crate) mishap: bool,
}

/// A prompt of so many tokens, for which there is no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong(pub(crate) u32);

pub(crate) struct Model {
    vocabulary: Vocabulary,
    /// The cache of the last prompt is kept.
    keeps: bool,
    /// The last prompt, under the name that may use it.
    held: Mutex<(String, Vec<u32>)>,
    heard: Mutex<Vec<Heard>>,
}

impl Model {
    pub(crate) fn new(keeps: bool) -> Arc<Self> {
        let json = assets().tokenizer.as_bytes();
        let vocabulary = Vocabulary::read(json, "tokenizer.json".into(), vec![END], 512).unwrap();
        Arc::new(Self { vocabulary, keeps, held: Mutex::default(), heard: Mutex::default() })
    }

    pub(crate) fn ids(&self, text: &str) -> Vec<u32> {
        self.vocabulary.encode(text).unwrap()
    }

    pub(crate) fn text(&self, ids: &[u32]) -> String {
        self.vocabulary.decode(ids).unwrap()
    }

    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }

    pub(crate) fn forget(&self) {
        *self.held.lock().unwrap() = (String::new(), Vec::new());
    }

    /// Answers with room for `context` tokens; `cache` is the name under which the last prompt may be used again.
    pub(crate) fn answer(
        &self,
        mut asked: Heard,
        context: u32,
        cache: Option<&str>,
    ) -> Result<Said, TooLong> {
        match &asked.text {
            Some(text) => (asked.ids, asked.read) = (self.ids(text), text.clone()),
            None => asked.read = self.text(&asked.ids),
        }
        self.heard.lock().unwrap().push(asked.clone());
        let prompt = asked.ids.len() as u32;
        if prompt >= context {
            return Err(TooLong(prompt));
        }
        let cached = self.read(&asked.ids, cache);
        let (ids, stop) = reply(&asked, context - prompt);
        Ok(Said { ids, prompt, cached, stop, mishap: asked.read.contains(MISHAP) })
    }

    /// Tokens of the prompt that are held. The last one is always read, and then the whole prompt is held.
    fn read(&self, ids: &[u32], cache: Option<&str>) -> u32 {
        let mut held = self.held.lock().unwrap();
        let alike = held.1.iter().zip(ids).take_while(|(held, asked)| held == asked).count();
        let may = self.keeps && cache == Some(held.0.as_str());
        *held = (cache.unwrap_or_default().to_owned(), ids.to_vec());
        if may { alike.min(ids.len().saturating_sub(1)) as u32 } else { 0 }
    }
}

fn reply(asked: &Heard, room: u32) -> (Vec<u32>, &'static str) {
    let most = asked.max_tokens.min(room);
    let shift = if asked.temperature > 0.0 { asked.seed } else { 0 };
    let chosen = (asked.ids.iter().map(|id| u64::from(*id)).sum::<u64>() + shift) % 26;
    let mut next = LETTERS.start() + chosen as u32;
    let mut ids = Vec::new();
    while (ids.len() as u32) < most {
        if next > *LETTERS.end() && !asked.ignore_eos {
            ids.push(END);
            return (ids, "eos");
        }
        next = if LETTERS.contains(&next) { next } else { *LETTERS.start() };
        ids.push(next);
        next += 1;
    }
    (ids, if most < asked.max_tokens { "context" } else { "length" })
}
