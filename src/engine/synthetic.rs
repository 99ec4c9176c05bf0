//! Prompts of a given length, the same text for every engine that has the same tokenizer.
//!
//! They are common words. Ids drawn at random would be cut into other tokens by an engine that is sent their text.

use super::EngineError;
use super::prompts::Prompts;
use crate::generation::Prompt;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Words by which the best one may fall short of the length before it is given up.
const SHORTER: u32 = 16;
/// What is put behind the words until the length is reached; the first that makes it.
const FILLERS: &[&str] = &[" a", ".", " 1"];

/// A prompt of exactly `tokens` tokens, the one that the tokenizer puts first included; it differs for each `seed`.
pub(super) fn of_length(prompts: &Prompts, tokens: u32, seed: u64) -> Result<Prompt, EngineError> {
    let most = longest(prompts, tokens, seed)?;
    for count in (most.saturating_sub(SHORTER)..=most).rev() {
        if let Some(prompt) = filled(prompts, tokens, &words(count, seed))? {
            return Ok(prompt);
        }
    }
    Err(EngineError::Failed {
        doing: "writing a synthetic prompt",
        problem: format!(
            "this tokenizer gives no text of common words exactly {tokens} tokens; ask for another `prompt_tokens`"
        ),
    })
}

/// The text with as many fillers behind it as are missing; `None` if none of them fills it to the token.
fn filled(prompts: &Prompts, tokens: u32, text: &str) -> Result<Option<Prompt>, EngineError> {
    let missing = tokens.saturating_sub(length(prompts, text)?);
    for filler in FILLERS {
        for count in 0..=missing {
            let text = format!("{text}{}", filler.repeat(count as usize));
            let ids = read(prompts, &text)?;
            if ids.len() as u32 == tokens {
                return Ok(Some(Prompt { text, ids: Some(ids), chat: None }));
            }
        }
    }
    Ok(None)
}

/// Most words that have no more than so many tokens.
fn longest(prompts: &Prompts, tokens: u32, seed: u64) -> Result<u32, EngineError> {
    // A word takes a token at least.
    let (mut fits, mut beyond) = (0, tokens.saturating_add(1));
    while beyond - fits > 1 {
        let middle = fits + (beyond - fits) / 2;
        if length(prompts, &words(middle, seed))? <= tokens {
            fits = middle;
        } else {
            beyond = middle;
        }
    }
    Ok(fits)
}

fn length(prompts: &Prompts, text: &str) -> Result<u32, EngineError> {
    read(prompts, text).map(|ids| ids.len() as u32)
}

/// The ids that an engine makes of a text.
fn read(prompts: &Prompts, text: &str) -> Result<Vec<u32>, EngineError> {
    let ids = prompts.vocabulary.encode(text)?;
    let first = prompts.vocabulary.adds_bos().filter(|bos| ids.first() != Some(bos));
    Ok(first.into_iter().chain(ids).collect())
}

/// Words that nearly every tokenizer has as one token.
const WORDS: &[&str] = &[
    "time",
    "year",
    "people",
    "way",
    "day",
    "man",
    "thing",
    "woman",
    "life",
    "child",
    "world",
    "school",
    "state",
    "family",
    "student",
    "group",
    "country",
    "problem",
    "hand",
    "part",
    "place",
    "case",
    "week",
    "company",
    "system",
    "program",
    "question",
    "work",
    "government",
    "number",
    "night",
    "point",
    "home",
    "water",
    "room",
    "mother",
    "area",
    "money",
    "story",
    "fact",
    "month",
    "lot",
    "right",
    "study",
    "book",
    "eye",
    "job",
    "word",
    "business",
    "issue",
];

/// So many of them, drawn by `seed`.
pub(super) fn words(count: u32, seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let word = |_| WORDS[rng.random_range(0..WORDS.len())];
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}
