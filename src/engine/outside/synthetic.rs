//! Prompts of a given length for an engine that is sent text.
//!
//! Ids drawn at random do not come back from their own text: the engine's tokenizer would cut it otherwise. Words do.

use super::engine::words;
use crate::engine::EngineError;
use crate::engine::prompts::Prompts;
use crate::generation::Prompt;

/// Words by which the best one may fall short of the length before it is given up.
const SHORTER: u32 = 16;

/// Words whose text has exactly `tokens` tokens, the one that the tokenizer puts first included; they differ for each `seed`.
pub(super) fn as_text(prompts: &Prompts, tokens: u32, seed: u64) -> Result<Prompt, EngineError> {
    let most = longest(prompts, tokens, seed)?;
    for count in (most.saturating_sub(SHORTER)..=most).rev() {
        let text = words(count, seed);
        let missing = tokens.saturating_sub(length(prompts, &text)?);
        for letters in 0..=missing {
            let text = format!("{text}{}", " a".repeat(letters as usize));
            let ids = read(prompts, &text)?;
            if ids.len() as u32 == tokens {
                return Ok(Prompt { text, ids: Some(ids), chat: None });
            }
        }
    }
    Err(EngineError::Failed {
        doing: "writing a synthetic prompt",
        problem: format!(
            "this tokenizer gives no text of common words exactly {tokens} tokens; ask for another length"
        ),
    })
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
