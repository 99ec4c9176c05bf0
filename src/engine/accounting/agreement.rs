//! Whether the ids and the text of a reply say the same.

use crate::engine::EngineError;
use crate::engine::vocabulary::Vocabulary;

/// What is wrong where a server's text is not that of its ids; `None` where they agree.
///
/// Servers leave out special tokens, white space and halves of characters, so the text must only be contained in what the ids
/// spell, letter after letter.
pub(in crate::engine) fn disagreement(
    vocabulary: &Vocabulary,
    ids: &[u32],
    text: &str,
) -> Result<Option<String>, EngineError> {
    let spelled = vocabulary.decode(ids)?;
    let mut letters = bare(&spelled).into_iter();
    let contained = bare(text).into_iter().all(|wanted| letters.any(|letter| letter == wanted));
    Ok((!contained).then(|| {
        let shown = |text: &str| text.chars().take(80).collect::<String>();
        format!(
            "the ids that the server sent spell `{}`, and its text is `{}`: its tokenizer is another one",
            shown(&spelled),
            shown(text)
        )
    }))
}

fn bare(text: &str) -> Vec<char> {
    let text = text.replace("<think>", "").replace("</think>", "");
    text.chars().filter(|letter| !letter.is_whitespace() && *letter != char::REPLACEMENT_CHARACTER).collect()
}
