//! Cutting the texts of special tokens out of a prompt.

use super::token_list::TokenList;
use std::collections::HashSet;

/// A piece of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fragment<'text> {
    /// Text to be tokenized.
    Text(&'text str),
    /// A token that was written out.
    Token(u32),
}

/// Finds special tokens: leftmost first, of those that begin at one place the longest.
#[derive(Debug)]
pub(super) struct SpecialSplit {
    /// By the first byte of a token: the lengths that such tokens have, longest first.
    lengths: Vec<Vec<usize>>,
    /// Tokens that swallow the white space behind them.
    swallows: HashSet<u32>,
}

impl SpecialSplit {
    pub(super) fn new(tokens: &TokenList, swallows: HashSet<u32>) -> Self {
        let mut lengths = vec![Vec::new(); 256];
        for (_, text, _) in tokens.specials() {
            if let Some(first) = text.bytes().next() {
                lengths[usize::from(first)].push(text.len());
            }
        }
        for list in &mut lengths {
            list.sort_unstable_by_key(|length| std::cmp::Reverse(*length));
            list.dedup();
        }
        Self { lengths, swallows }
    }

    /// Cuts `text` up; no text fragment is empty.
    pub(super) fn split<'text>(&self, text: &'text str, tokens: &TokenList) -> Vec<Fragment<'text>> {
        let mut fragments = Vec::new();
        let (mut start, mut at) = (0, 0);
        while at < text.len() {
            let Some((id, length)) = self.token_at(text, at, tokens) else {
                at += 1;
                continue;
            };
            if start < at {
                fragments.push(Fragment::Text(&text[start..at]));
            }
            fragments.push(Fragment::Token(id));
            at += length;
            if self.swallows.contains(&id) {
                at += text.as_bytes()[at..].iter().take_while(|byte| is_space(**byte)).count();
            }
            start = at;
        }
        if start < text.len() {
            fragments.push(Fragment::Text(&text[start..]));
        }
        fragments
    }

    fn token_at(&self, text: &str, at: usize, tokens: &TokenList) -> Option<(u32, usize)> {
        self.lengths[usize::from(text.as_bytes()[at])].iter().find_map(|length| {
            let id = tokens.id(text.get(at..at + length)?)?;
            tokens.kind(id).is_special().then_some((id, *length))
        })
    }
}

/// White space of the C locale.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}
