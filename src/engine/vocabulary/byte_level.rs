//! Byte-level BPE (`tokenizer.ggml.model` = `gpt2`) on the tokenizers library.

use super::pre_tokenizer::PreTokenizer;
use super::token_list::{TokenKind, TokenList};
use std::collections::HashSet;
use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{AddedToken, PreTokenizerWrapper, SplitDelimiterBehavior, Tokenizer};

/// Builds the tokenizer; the text of an error says what of the definition cannot be used.
pub(super) fn build(
    tokens: &TokenList,
    merges: &[&str],
    pre: PreTokenizer,
) -> Result<Tokenizer, Box<dyn std::error::Error + Send + Sync>> {
    let vocabulary: Vocab = tokens.iter().map(|(id, text, _)| (text.to_owned(), id)).collect();
    let model = BPE::builder()
        .vocab_and_merges(vocabulary, pairs(tokens, merges)?)
        .ignore_merges(pre.whole_words)
        .build()?;
    let mut tokenizer = Tokenizer::new(model);
    let bytes = ByteLevel::new(false, false, false);
    let mut steps: Vec<PreTokenizerWrapper> = Vec::new();
    for pattern in pre.patterns {
        let pattern = SplitPattern::Regex((*pattern).to_owned());
        steps.push(Split::new(pattern, SplitDelimiterBehavior::Isolated, false)?.into());
    }
    steps.push(bytes.into());
    tokenizer.with_pre_tokenizer(Some(Sequence::new(steps)));
    tokenizer.with_decoder(Some(bytes));
    let (special, user): (Vec<_>, Vec<_>) =
        tokens.specials().partition(|(_, _, kind)| *kind != TokenKind::UserDefined);
    let added = |list: Vec<(u32, &str, TokenKind)>, special| -> Vec<AddedToken> {
        list.into_iter().map(|(_, text, _)| AddedToken::from(text, special).normalized(false)).collect()
    };
    tokenizer.add_special_tokens(added(special, true))?;
    tokenizer.add_tokens(added(user, false))?;
    Ok(tokenizer)
}

/// The merges in order: the two parts stand apart by the first space behind the first byte. One that comes twice counts
/// where it came first; one whose parts or whole are no tokens can never be applied.
fn pairs(tokens: &TokenList, merges: &[&str]) -> Result<Vec<(String, String)>, String> {
    let mut seen = HashSet::new();
    let mut pairs = Vec::new();
    let mut whole = String::new();
    for (merge, at) in merges.iter().zip(0_usize..) {
        let (left, right) = parts(merge).ok_or_else(|| format!("merge {at} ({merge:?}) is no pair"))?;
        whole.clear();
        whole.push_str(left);
        whole.push_str(right);
        let ids = (tokens.id(left), tokens.id(right));
        let known = ids.0.is_some() && ids.1.is_some() && tokens.id(&whole).is_some();
        if known && seen.insert(ids) {
            pairs.push((left.to_owned(), right.to_owned()));
        }
    }
    Ok(pairs)
}

fn parts(merge: &str) -> Option<(&str, &str)> {
    let space = merge.as_bytes().iter().skip(1).position(|byte| *byte == b' ')? + 1;
    Some((merge.get(..space)?, merge.get(space + 1..)?))
}
