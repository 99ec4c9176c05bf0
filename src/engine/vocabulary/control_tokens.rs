//! Tokens that mean something to the engine, known by their texts where the file does not name them.
//!
//! GGUF files name one end of sequence and sometimes an end of turn; many models end their replies with others. Which
//! texts end a reply is taken from llama.cpp (`llama_vocab::load`), so that both engines stop at the same token.

use super::token_list::{TokenKind, TokenList};
use crate::engine::gguf::{GgufError, Metadata};

/// Texts that end a reply whenever a vocabulary has them.
const ENDS: &[&str] = &[
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
];

/// Padding, file and repository marks of models that fill in code: they end a reply too. The key that names the token
/// comes before the texts.
const CODE_ENDS: [(&str, &[&str]); 3] = [
    ("tokenizer.ggml.fim_pad_token_id", &["<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"]),
    (
        "tokenizer.ggml.fim_rep_token_id",
        &["<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"],
    ),
    ("tokenizer.ggml.fim_sep_token_id", &["<|file_sep|>"]),
];

/// Prefix, suffix and middle marks of models that fill in code: special, but no ends.
const CODE_MARKS: [(&str, &[&str]); 3] = [
    (
        "tokenizer.ggml.fim_pre_token_id",
        &[
            "<|fim_prefix|>",
            "<fim-prefix>",
            "<fim_prefix>",
            "<｜fim▁begin｜>",
            "<PRE>",
            "▁<PRE>",
            "<|code_prefix|>",
            "<|prefix|>",
        ],
    ),
    (
        "tokenizer.ggml.fim_suf_token_id",
        &[
            "<|fim_suffix|>",
            "<fim-suffix>",
            "<fim_suffix>",
            "<｜fim▁hole｜>",
            "<SUF>",
            "▁<SUF>",
            "<|code_suffix|>",
            "<|suffix|>",
        ],
    ),
    (
        "tokenizer.ggml.fim_mid_token_id",
        &[
            "<|fim_middle|>",
            "<fim-middle>",
            "<fim_middle>",
            "<｜fim▁end｜>",
            "<MID>",
            "▁<MID>",
            "<|code_middle|>",
            "<|middle|>",
        ],
    ),
];

/// Keys of tokens that end a reply.
const END_KEYS: [&str; 3] =
    ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"];

/// Reads the id that a key names; an id outside the vocabulary is an error.
pub(super) fn named_id(
    metadata: Metadata<'_>,
    key: &str,
    tokens: &TokenList,
) -> Result<Option<u32>, GgufError> {
    match metadata.unsigned(key)? {
        Some(id) if id < tokens.len() as u64 => Ok(Some(id as u32)),
        Some(id) => Err(metadata.wrong(key, format!("there is no token {id} among {}", tokens.len()))),
        None => Ok(None),
    }
}

/// Finds the tokens that end a reply, sorted, and makes every token found here a special one, even if the file calls it
/// a normal one.
pub(super) fn find_ends(metadata: Metadata<'_>, tokens: &mut TokenList) -> Result<Vec<u32>, GgufError> {
    let mut ends: Vec<u32> = ENDS.iter().filter_map(|text| tokens.id(text)).collect();
    for (key, texts) in CODE_ENDS {
        ends.extend(code_token(metadata, key, texts, tokens)?);
    }
    let mut marks = Vec::new();
    for (key, texts) in CODE_MARKS {
        if metadata.unsigned(key)?.is_none() {
            marks.extend(code_token(metadata, key, texts, tokens)?);
        }
    }
    for id in ends.iter().chain(&marks) {
        tokens.kinds[*id as usize] = TokenKind::Control;
    }
    for key in END_KEYS {
        ends.extend(named_id(metadata, key, tokens)?);
    }
    for text in no_ends(&ends, tokens) {
        let id = tokens.id(text);
        ends.retain(|end| Some(*end) != id);
    }
    ends.sort_unstable();
    ends.dedup();
    Ok(ends)
}

/// The token that the key names, else the first of the texts that the vocabulary has.
fn code_token(
    metadata: Metadata<'_>,
    key: &str,
    texts: &[&str],
    tokens: &TokenList,
) -> Result<Option<u32>, GgufError> {
    let named = named_id(metadata, key, tokens)?;
    Ok(named.or_else(|| texts.iter().find_map(|text| tokens.id(text))))
}

/// Texts that look like ends and are none in this vocabulary: `<|end|>` only closes a message where replies end with
/// `<|return|>` or `<|flush|>`, and `</s>` is plain markup where `<|tool_response>` is an end.
fn no_ends(ends: &[u32], tokens: &TokenList) -> Vec<&'static str> {
    let has = |text: &str| tokens.id(text).is_some_and(|id| ends.contains(&id));
    let closes = (has("<|call|>") || has("<|calls|>")) && (has("<|return|>") || has("<|flush|>"));
    [(closes, "<|end|>"), (has("<|tool_response>"), "</s>")]
        .into_iter()
        .filter_map(|(is, text)| is.then_some(text))
        .collect()
}
