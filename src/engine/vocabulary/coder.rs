//! The two ways from text to tokens.

use super::sentence_piece::SentencePiece;
use super::token_list::TokenKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokenizers::Tokenizer;

/// The library runs what a file from strangers tells it to, and some of that makes it panic.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let broken = |_| Err("the tokenizers library cannot work with this tokenizer".to_owned());
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(broken)
}

/// Something that turns text into token ids and back.
#[derive(Debug)]
pub(super) enum Coder {
    /// The tokenizers library.
    Library(Box<Tokenizer>),
    /// Scores instead of merges.
    SentencePiece(Box<SentencePiece>),
}

impl Coder {
    /// Token ids of a text. Special tokens that are written out count as themselves, and none is added.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>, String> {
        match self {
            Self::Library(tokenizer) => guarded(|| {
                let encoding = tokenizer.encode_fast(text, false).map_err(|error| error.to_string())?;
                Ok(encoding.get_ids().to_vec())
            }),
            Self::SentencePiece(pieces) => Ok(pieces.encode(text)),
        }
    }

    /// Text of tokens, special ones included.
    pub(super) fn decode(&self, ids: &[u32]) -> Result<String, String> {
        match self {
            Self::Library(tokenizer) => {
                guarded(|| tokenizer.decode(ids, false).map_err(|error| error.to_string()))
            }
            Self::SentencePiece(pieces) => Ok(pieces.decode(ids)),
        }
    }

    pub(super) fn id(&self, text: &str) -> Option<u32> {
        match self {
            Self::Library(tokenizer) => tokenizer.token_to_id(text),
            Self::SentencePiece(pieces) => pieces.tokens.id(text),
        }
    }

    pub(super) fn text(&self, id: u32) -> Option<String> {
        match self {
            Self::Library(tokenizer) => tokenizer.id_to_token(id),
            Self::SentencePiece(pieces) => pieces.tokens.text(id).map(str::to_owned),
        }
    }

    /// True if an embedding table of `rows` rows holds a token that stands for ordinary text.
    pub(super) fn has_ordinary(&self, rows: usize) -> bool {
        match self {
            Self::Library(tokenizer) => {
                let added = tokenizer.get_added_tokens_decoder();
                let vocabulary = tokenizer.get_vocab(false);
                vocabulary.into_values().any(|id| !added.contains_key(&id) && (id as usize) < rows)
            }
            Self::SentencePiece(pieces) => {
                let normal = |kind| kind == TokenKind::Normal;
                pieces.tokens.iter().any(|(id, _, kind)| normal(kind) && (id as usize) < rows)
            }
        }
    }

    /// The token that the tokenizer's own rules put before a text.
    pub(super) fn prefix(&self) -> Option<u32> {
        let Self::Library(tokenizer) = self else { return None };
        let with = tokenizer.encode_fast("a", true).ok()?;
        let without = tokenizer.encode_fast("a", false).ok()?;
        let first = with.get_ids().first();
        first.filter(|first| Some(*first) != without.get_ids().first()).copied()
    }
}
