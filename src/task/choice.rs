//! Which option of a multiple-choice question an answer names.

use regex::Regex;
use std::sync::LazyLock;

/// Letters of the options, in order.
pub const CHOICE_LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

type Pattern = LazyLock<Option<Regex>>;

/// `B`, `(b)`, `B.`, `**B**`: the letter and nothing else.
static ALONE: Pattern = LazyLock::new(|| Regex::new(r"^[(\[]?([A-Za-z])[)\]]?[.:]?$").ok());
/// `The answer is B`, `Answer: (b)`, `the correct option is **C**`; a bare small letter may be a word, so it needs brackets.
static STATED: Pattern = LazyLock::new(|| {
    Regex::new(r"(?i:answer|choice|option)(?i:\s+is)?\s*[:=]?\s*[*_`]*(?:[(\[]([A-Za-z])[)\]]|([A-Z])\b)")
        .ok()
});
/// `B. Paris`, `B) Paris`, `(B) Paris`: the answer begins with a letter that is set apart.
static LEADING: Pattern =
    LazyLock::new(|| Regex::new(r"^(?:[(\[]([A-Za-z])[)\]]|([A-Z])(?:[.):]|\s+-))(?:\s|$)").ok());
/// A bracketed letter anywhere.
static BRACKETED: Pattern = LazyLock::new(|| Regex::new(r"[(\[]([A-Za-z])[)\]]").ok());

/// Index of the option that an answer names, or `None`. Tried in this order:
///
/// 1. the whole answer is a letter (`B`, `(b)`, `B.`, `**B**`) or the text of an option (any case, a final stop allowed);
/// 2. the last letter that is stated as the answer (`The answer is B`, `Answer: (b)`);
/// 3. a leading letter that is set apart (`B. Paris`, `(B) Paris`);
/// 4. the only bracketed letter (`so it must be (B)`);
/// 5. the only option whose text occurs as whole words (`It is Paris.`).
pub fn chosen(answer: &str, choices: &[String]) -> Option<usize> {
    let bare = answer.trim().trim_matches(['*', '_', '`', '"', '\'']).trim();
    whole(bare, choices)
        .or_else(|| letters(&STATED, bare, choices.len()).pop())
        .or_else(|| letters(&LEADING, bare, choices.len()).pop())
        .or_else(|| only(letters(&BRACKETED, bare, choices.len())))
        .or_else(|| only(mentioned(bare, choices)))
}

fn whole(bare: &str, choices: &[String]) -> Option<usize> {
    letters(&ALONE, bare, choices.len()).pop().or_else(|| {
        let same = |choice: &&String| {
            let (said, option) = (bare.to_lowercase(), choice.trim().to_lowercase());
            said == option || said.strip_suffix('.') == Some(&option)
        };
        choices.iter().position(|choice| same(&choice))
    })
}

/// Indices of the letters that a pattern captures, as far as there are options.
fn letters(pattern: &Pattern, text: &str, options: usize) -> Vec<usize> {
    let Some(pattern) = pattern.as_ref() else { return Vec::new() };
    let captures = pattern.captures_iter(text);
    let found =
        captures.filter_map(|groups| groups.iter().skip(1).flatten().next().map(|letter| letter.as_str()));
    found
        .filter_map(|letter| CHOICE_LETTERS.find(&letter.to_uppercase()))
        .filter(|&index| index < options)
        .collect()
}

fn mentioned(text: &str, choices: &[String]) -> Vec<usize> {
    let text = text.to_lowercase();
    let occurs = |choice: &str| {
        let choice = choice.trim().to_lowercase();
        let joined = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        text.match_indices(&choice).any(|(start, found)| {
            !joined(text[..start].chars().next_back()) && !joined(text[start + found.len()..].chars().next())
        })
    };
    choices.iter().enumerate().filter(|(_, choice)| occurs(choice)).map(|(index, _)| index).collect()
}

/// The index on which all candidates agree.
fn only(mut candidates: Vec<usize>) -> Option<usize> {
    candidates.dedup();
    if let [one] = candidates[..] { Some(one) } else { None }
}
