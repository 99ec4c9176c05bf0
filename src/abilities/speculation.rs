//! Guessing tokens ahead, in llama.cpp's words.

/// Longest N: the server's own limit.
const LONGEST: u32 = 1024;

/// Who guesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guesser<'a> {
    /// The model in this file.
    Draft(&'a str),
    /// The text so far, looked up by so many tokens.
    Ngram(u32),
}

/// What is wrong with words that name nobody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownGuesser {
    /// What is wrong.
    pub problem: String,
    /// What to write.
    pub remedy: String,
}

/// Reads `draft:FILE.gguf` (a smaller model guesses) or `ngram:N` (what followed the same N tokens earlier).
///
/// # Errors
/// For all other words.
pub fn guesser(written: &str) -> Result<Guesser<'_>, UnknownGuesser> {
    let size = |text: &str| text.parse().ok().filter(|size| (1..=LONGEST).contains(size));
    let found = match written.split_once(':') {
        Some(("draft", file)) if !file.trim().is_empty() => Some(Guesser::Draft(file)),
        Some(("ngram", text)) => size(text).map(Guesser::Ngram),
        _ => None,
    };
    found.ok_or_else(|| UnknownGuesser {
        problem: format!("llama.cpp cannot speculate by `{written}`"),
        remedy: format!("write \"draft:FILE.gguf\", or \"ngram:N\" with N from 1 to {LONGEST}"),
    })
}
