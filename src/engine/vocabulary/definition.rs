//! The tokenizer that a GGUF file describes in its metadata.

use super::byte_level;
use super::coder::Coder;
use super::control_tokens::{find_ends, named_id};
use super::pre_tokenizer::{self, PreTokenizer};
use super::sentence_piece::SentencePiece;
use super::special_split::SpecialSplit;
use super::token_list::{TOKENS, TokenKind, TokenList};
use crate::engine::gguf::{GgufError, Metadata};
use crate::fingerprint;
use std::collections::{BTreeMap, HashSet};

const MODEL: &str = "tokenizer.ggml.model";
const PRE: &str = "tokenizer.ggml.pre";
const MERGES: &str = "tokenizer.ggml.merges";
const SCORES: &str = "tokenizer.ggml.scores";
const ADD_BOS: &str = "tokenizer.ggml.add_bos_token";
const SPACE_PREFIX: &str = "tokenizer.ggml.add_space_prefix";
const BOS: &str = "tokenizer.ggml.bos_token_id";
const TEMPLATE: &str = "tokenizer.chat_template";

/// Names that chat templates use, and the keys of the tokens that they stand for.
const TEMPLATE_TOKENS: [(&str, &str); 7] = [
    ("bos_token", BOS),
    ("eos_token", "tokenizer.ggml.eos_token_id"),
    ("unk_token", "tokenizer.ggml.unknown_token_id"),
    ("sep_token", "tokenizer.ggml.seperator_token_id"),
    ("pad_token", "tokenizer.ggml.padding_token_id"),
    ("cls_token", "tokenizer.ggml.cls_token_id"),
    ("mask_token", "tokenizer.ggml.mask_token_id"),
];

/// What was read.
pub(super) struct Definition {
    pub(super) coder: Coder,
    /// Over everything that decides which ids a text becomes and which of them end a reply.
    pub(super) fingerprint: String,
    /// Sorted.
    pub(super) ends: Vec<u32>,
    /// What a raw prompt begins with. A file that names no such token has none, whatever other readers assume.
    pub(super) bos: Option<u32>,
    /// The mark that ends reasoning is a control token.
    pub(super) hides_thinking: bool,
}

impl Definition {
    /// Reads `tokenizer.ggml.*`.
    pub(super) fn read(metadata: Metadata<'_>) -> Result<Self, GgufError> {
        let mut tokens = TokenList::read(metadata)?;
        let mark = tokens.id("</think>");
        let hides_thinking = mark.is_some_and(|id| tokens.kind(id) == TokenKind::Control);
        let ends = find_ends(metadata, &mut tokens)?;
        let bos = named_id(metadata, BOS, &tokens)?;
        let model = metadata.need(MODEL, metadata.text(MODEL)?)?;
        let fingerprint = fingerprint(metadata, &tokens, &ends, bos)?;
        let (coder, adds_bos) = match model {
            "gpt2" => byte_level(metadata, &tokens)?,
            "llama" => (sentence_piece(metadata, tokens)?, true),
            other => {
                let problem = format!("`{other}` tokenizers are not read; `gpt2` and `llama` are");
                return Err(metadata.unsupported(MODEL, problem));
            }
        };
        let adds_bos = metadata.flag(ADD_BOS)?.unwrap_or(adds_bos);
        Ok(Self { coder, fingerprint, ends, bos: bos.filter(|_| adds_bos), hides_thinking })
    }
}

/// The coder, and whether a prompt begins with the BOS token if the file does not say.
fn byte_level(metadata: Metadata<'_>, tokens: &TokenList) -> Result<(Coder, bool), GgufError> {
    let merges = metadata.need(MERGES, metadata.texts(MERGES)?)?;
    let pre = pre_tokenizer(metadata)?;
    let tokenizer = byte_level::build(tokens, &merges, pre)
        .map_err(|error| metadata.wrong(MERGES, format!("they make no tokenizer: {error}")))?;
    Ok((Coder::Library(Box::new(tokenizer)), pre.adds_bos))
}

/// A file without a name is taken for `default`, as llama.cpp does.
fn pre_tokenizer(metadata: Metadata<'_>) -> Result<PreTokenizer, GgufError> {
    let name = metadata.text(PRE)?.unwrap_or("default");
    pre_tokenizer::find(name).ok_or_else(|| {
        let problem =
            format!("the way `{name}` cuts words is not known; known are {}", pre_tokenizer::names());
        metadata.unsupported(PRE, problem)
    })
}

fn sentence_piece(metadata: Metadata<'_>, tokens: TokenList) -> Result<Coder, GgufError> {
    let scores = metadata.need(SCORES, metadata.floats(SCORES)?)?;
    if scores.len() < tokens.len() {
        let problem = format!("it has {} scores for {} tokens", scores.len(), tokens.len());
        return Err(metadata.wrong(SCORES, problem));
    }
    let scores = scores.into_iter().map(|score| score as f32).collect();
    let space_prefix = metadata.flag(SPACE_PREFIX)?.unwrap_or(true);
    let split = SpecialSplit::new(&tokens, swallowing(metadata, &tokens)?);
    Ok(Coder::SentencePiece(Box::new(SentencePiece::new(tokens, scores, space_prefix, split))))
}

/// Phi-3's special tokens swallow the white space behind them (`rstrip` in its tokenizer.json). GGUF has no key for
/// that; llama.cpp goes by the model's name, and so does this.
fn swallowing(metadata: Metadata<'_>, tokens: &TokenList) -> Result<HashSet<u32>, GgufError> {
    const NOT: [&str; 3] = ["<unk>", "<s>", "<|endoftext|>"];
    if !is_phi3(metadata)? {
        return Ok(HashSet::new());
    }
    Ok(tokens.specials().filter(|(_, text, _)| !NOT.contains(text)).map(|(id, _, _)| id).collect())
}

fn is_phi3(metadata: Metadata<'_>) -> Result<bool, GgufError> {
    let name = metadata.text("general.name")?.unwrap_or_default().to_lowercase();
    Ok(name.contains("phi-3") || name.contains("phi3"))
}

/// The same for files that differ only in the order of keys, in the types of numbers, or in what is no tokenizer.
fn fingerprint(
    metadata: Metadata<'_>,
    tokens: &TokenList,
    ends: &[u32],
    bos: Option<u32>,
) -> Result<String, GgufError> {
    let mut parts: Vec<String> = Vec::new();
    for key in [MODEL, PRE] {
        parts.push(metadata.text(key)?.unwrap_or_default().to_owned());
    }
    for key in [ADD_BOS, SPACE_PREFIX] {
        parts.push(format!("{:?}", metadata.flag(key)?));
    }
    parts.push(format!("{} {bos:?} {ends:?} {}", is_phi3(metadata)?, tokens.len()));
    parts.extend(tokens.iter().map(|(_, text, kind)| format!("{} {text}", kind as usize)));
    let merges = metadata.texts(MERGES)?.unwrap_or_default();
    parts.push(merges.len().to_string());
    parts.extend(merges.into_iter().map(str::to_owned));
    let scores = metadata.floats(SCORES)?.unwrap_or_default();
    parts.extend(scores.into_iter().map(|score| (score as f32 + 0.0).to_string()));
    Ok(fingerprint::of_parts(parts))
}

/// The model's chat template.
pub(in crate::engine) fn chat_template(metadata: Metadata<'_>) -> Result<Option<&str>, GgufError> {
    metadata.text(TEMPLATE)
}

/// Texts of the tokens that chat templates name, like `bos_token`; those that the file does not name are left out.
pub(in crate::engine) fn special_tokens(
    metadata: Metadata<'_>,
) -> Result<BTreeMap<String, String>, GgufError> {
    let texts = metadata.need(TOKENS, metadata.texts(TOKENS)?)?;
    let mut named = BTreeMap::new();
    for (name, key) in TEMPLATE_TOKENS {
        let id = metadata.unsigned(key)?.and_then(|id| usize::try_from(id).ok());
        if let Some(text) = id.and_then(|id| texts.get(id)) {
            named.insert(name.to_owned(), (*text).to_owned());
        }
    }
    Ok(named)
}
