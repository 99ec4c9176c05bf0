//! `SentencePiece` BPE (`tokenizer.ggml.model` = `llama`): of all neighbours that together make a token, those with the
//! best score are joined first. Scores say what merge ranks cannot: two pairs may be equally good, and then the left
//! one comes first, which is why this is not built on the tokenizers library.

use super::special_split::{Fragment, SpecialSplit};
use super::token_list::{TokenKind, TokenList};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Stands for a space inside tokens.
const SPACE: &str = "▁";

/// A `SentencePiece` vocabulary.
#[derive(Debug)]
pub(super) struct SentencePiece {
    pub(super) tokens: TokenList,
    /// One per token.
    scores: Vec<f32>,
    /// Tokens `<0x00>` to `<0xFF>`, for what no token spells.
    bytes: Vec<Option<u32>>,
    /// A text begins with a space that was not written.
    space_prefix: bool,
    split: SpecialSplit,
}

/// A run of characters that has become one token, or will.
#[derive(Debug, Clone, Copy)]
struct Symbol {
    start: usize,
    /// Equal to `start` once it was joined to the one before.
    end: usize,
    before: Option<usize>,
    next: Option<usize>,
}

/// Two neighbours that make a token; the greatest is joined first.
#[derive(Debug, Clone, Copy)]
struct Pair {
    score: f32,
    left: usize,
    right: usize,
    /// Length of both when they were found: a pair of another length has changed since.
    bytes: usize,
}

impl Ord for Pair {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.left.cmp(&self.left))
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Pair {}

impl SentencePiece {
    /// `scores` holds at least one for each token.
    pub(super) fn new(tokens: TokenList, scores: Vec<f32>, space_prefix: bool, split: SpecialSplit) -> Self {
        let bytes = (0..=u8::MAX).map(|byte| tokens.id(&format!("<0x{byte:02X}>"))).collect();
        // Adding zero makes -0 and 0 the same score.
        let scores = scores.into_iter().map(|score| score + 0.0).collect();
        Self { tokens, scores, bytes, space_prefix, split }
    }

    /// Token ids of a text; special tokens that are written out in it count as themselves.
    pub(super) fn encode(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        let mut begins = true;
        for fragment in self.split.split(text, &self.tokens) {
            match fragment {
                Fragment::Token(id) => ids.push(id),
                Fragment::Text(text) => {
                    let prefix = if begins && self.space_prefix { SPACE } else { "" };
                    self.merge(&format!("{prefix}{}", text.replace(' ', SPACE)), &mut ids);
                }
            }
            begins = matches!(fragment, Fragment::Token(_));
        }
        ids
    }

    /// Text of tokens. The space that [`Self::encode`] put before the first word is taken away again.
    pub(super) fn decode(&self, ids: &[u32]) -> String {
        let bytes: Vec<u8> = ids.iter().flat_map(|id| self.spell(*id)).collect();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match text.strip_prefix(' ') {
            Some(rest) if self.space_prefix => rest.to_owned(),
            _ => text,
        }
    }

    fn spell(&self, id: u32) -> Vec<u8> {
        let text = self.tokens.text(id).unwrap_or_default();
        match self.tokens.kind(id) {
            TokenKind::Byte => {
                text.get(3..5).and_then(|digits| u8::from_str_radix(digits, 16).ok()).into_iter().collect()
            }
            TokenKind::Normal => text.replace(SPACE, " ").into_bytes(),
            _ => text.as_bytes().to_vec(),
        }
    }

    fn merge(&self, text: &str, ids: &mut Vec<u32>) {
        let mut symbols = characters(text);
        let mut queue = BinaryHeap::new();
        for right in 1..symbols.len() {
            queue.extend(self.pair(text, &symbols, right - 1, right));
        }
        while let Some(pair) = queue.pop() {
            let (left, right) = (symbols[pair.left], symbols[pair.right]);
            if left.start == left.end || right.start == right.end || right.end - left.start != pair.bytes {
                continue;
            }
            symbols[pair.left] = Symbol { end: right.end, next: right.next, ..left };
            symbols[pair.right].end = right.start;
            if let Some(next) = right.next {
                symbols[next].before = Some(pair.left);
                queue.extend(self.pair(text, &symbols, pair.left, next));
            }
            if let Some(before) = left.before {
                queue.extend(self.pair(text, &symbols, before, pair.left));
            }
        }
        for symbol in symbols.iter().filter(|symbol| symbol.start < symbol.end) {
            self.push(&text[symbol.start..symbol.end], ids);
        }
    }

    fn pair(&self, text: &str, symbols: &[Symbol], left: usize, right: usize) -> Option<Pair> {
        let both = &text[symbols[left].start..symbols[right].end];
        let score = *self.scores.get(self.tokens.id(both)? as usize)?;
        Some(Pair { score, left, right, bytes: both.len() })
    }

    /// A token, or the bytes of a character that is none.
    fn push(&self, piece: &str, ids: &mut Vec<u32>) {
        match self.tokens.id(piece) {
            Some(id) => ids.push(id),
            None => ids.extend(piece.bytes().filter_map(|byte| self.bytes[usize::from(byte)])),
        }
    }
}

fn characters(text: &str) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = text
        .char_indices()
        .zip(0_usize..)
        .map(|((start, character), at)| Symbol {
            start,
            end: start + character.len_utf8(),
            before: at.checked_sub(1),
            next: Some(at + 1),
        })
        .collect();
    if let Some(last) = symbols.last_mut() {
        last.next = None;
    }
    symbols
}
