//! The list of tokens in a GGUF file.

use crate::engine::gguf::{GgufError, Metadata};
use std::collections::HashMap;

pub(super) const TOKENS: &str = "tokenizer.ggml.tokens";
const KINDS: &str = "tokenizer.ggml.token_type";

/// What a token is for, numbered as in `tokenizer.ggml.token_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Undefined,
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

impl TokenKind {
    fn new(number: i64) -> Self {
        match number {
            1 => Self::Normal,
            2 => Self::Unknown,
            3 => Self::Control,
            4 => Self::UserDefined,
            5 => Self::Unused,
            6 => Self::Byte,
            _ => Self::Undefined,
        }
    }

    /// True if the token's text in a prompt always stands for the token.
    pub(super) fn is_special(self) -> bool {
        matches!(self, Self::Unknown | Self::Control | Self::UserDefined)
    }
}

/// Texts and kinds of all tokens; the place in the list is the id.
#[derive(Debug)]
pub(super) struct TokenList {
    texts: Vec<String>,
    pub(super) kinds: Vec<TokenKind>,
    ids: HashMap<String, u32>,
}

impl TokenList {
    /// Reads texts and kinds. Without a list of kinds every token is a normal one.
    pub(super) fn read(metadata: Metadata<'_>) -> Result<Self, GgufError> {
        let texts = metadata.need(TOKENS, metadata.texts(TOKENS)?)?;
        if texts.is_empty() || u32::try_from(texts.len()).is_err() {
            return Err(metadata.wrong(TOKENS, format!("{} tokens make no vocabulary", texts.len())));
        }
        let kinds = match metadata.integers(KINDS)? {
            Some(kinds) if kinds.len() < texts.len() => {
                let problem = format!("it has {} kinds for {} tokens", kinds.len(), texts.len());
                return Err(metadata.wrong(KINDS, problem));
            }
            Some(kinds) => kinds.into_iter().take(texts.len()).map(TokenKind::new).collect(),
            None => vec![TokenKind::Normal; texts.len()],
        };
        // Some vocabularies pad with empty texts; those tokens keep their ids and are never met in a text.
        let name = |(id, text): (usize, &str)| {
            if text.is_empty() { format!("[EMPTY_{id}]") } else { text.to_owned() }
        };
        let texts: Vec<String> = texts.into_iter().enumerate().map(name).collect();
        let ids: HashMap<String, u32> = texts.iter().cloned().zip(0..).collect();
        if ids.len() < texts.len() {
            let twice = texts.iter().zip(0..).find(|(text, id)| ids.get(*text) != Some(id));
            let (text, id) = twice.map_or(("", 0), |(text, id)| (text.as_str(), id));
            return Err(metadata.wrong(TOKENS, format!("the text {text:?} of token {id} comes twice")));
        }
        Ok(Self { texts, kinds, ids })
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(super) fn id(&self, text: &str) -> Option<u32> {
        self.ids.get(text).copied()
    }

    pub(super) fn text(&self, id: u32) -> Option<&str> {
        self.texts.get(id as usize).map(String::as_str)
    }

    pub(super) fn kind(&self, id: u32) -> TokenKind {
        self.kinds.get(id as usize).copied().unwrap_or(TokenKind::Undefined)
    }

    /// Id, text and kind of every token.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &str, TokenKind)> {
        self.texts.iter().zip(&self.kinds).zip(0..).map(|((text, kind), id)| (id, text.as_str(), *kind))
    }

    /// The tokens whose texts are cut out of a prompt before anything else is done with it.
    pub(super) fn specials(&self) -> impl Iterator<Item = (u32, &str, TokenKind)> {
        self.iter().filter(|(_, _, kind)| kind.is_special())
    }
}
