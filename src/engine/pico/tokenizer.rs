//! The byte-level BPE tokenizer, learned from generated samples.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use tokenizers::decoders::byte_level::ByteLevel as ByteLevelDecoder;
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{AddedToken, SplitDelimiterBehavior, Tokenizer};

use super::dialogue::Dialogue;
use super::tasks::Sample;

/// The split expression of the Qwen2 and Qwen3 tokenizers: every digit is a piece of its own.
const QWEN2_SPLIT: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Added tokens in the order of their ids; the flag says whether decoding may skip them.
pub(super) const ADDED_TOKENS: [(&str, bool); 9] = [
    ("<|endoftext|>", true),
    ("<|im_start|>", true),
    ("<|im_end|>", true),
    ("<tool_call>", false),
    ("</tool_call>", false),
    ("<tool_response>", false),
    ("</tool_response>", false),
    ("<think>", false),
    ("</think>", false),
];

/// Dialogues that the merges are learned from.
const CORPUS_SAMPLES: usize = 20_000;

fn added(content: &str, special: bool) -> AddedToken {
    AddedToken::from(content, special).normalized(false)
}

/// Learns the merges of a tokenizer with exactly `vocabulary` entries (the added tokens last) from training
/// samples drawn with `seed`.
pub fn build_tokenizer(vocabulary: usize, seed: u64) -> tokenizers::Result<Tokenizer> {
    let mut tokenizer = Tokenizer::new(BPE::default());
    let split =
        Split::new(SplitPattern::Regex(QWEN2_SPLIT.to_owned()), SplitDelimiterBehavior::Isolated, false)?;
    tokenizer.with_pre_tokenizer(Some(Sequence::new(vec![
        PreTokenizerWrapper::Split(split),
        PreTokenizerWrapper::ByteLevel(ByteLevel::new(false, false, false)),
    ])));
    tokenizer.with_decoder(Some(ByteLevelDecoder::default()));

    let trainer = BpeTrainer::builder()
        .vocab_size(vocabulary - ADDED_TOKENS.len())
        .min_frequency(2)
        .show_progress(false)
        .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
        .build();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let corpus = (0..CORPUS_SAMPLES).flat_map(|_| corpus_texts(&Sample::draw_for_training(&mut rng)));
    tokenizer.train(&mut TrainerWrapper::from(trainer), corpus)?;
    for (content, special) in ADDED_TOKENS {
        let token = [added(content, special)];
        if special {
            tokenizer.add_special_tokens(token)?;
        } else {
            tokenizer.add_tokens(token)?;
        }
    }
    Ok(tokenizer)
}

/// A thinking dialogue cut at its added tokens, which must not take part in the merges.
fn corpus_texts(sample: &Sample) -> Vec<String> {
    let text: String = Dialogue::new(sample, true).parts.into_iter().map(|part| part.text).collect();
    let cut = ADDED_TOKENS.iter().fold(text, |text, (token, _)| text.replace(token, "\0"));
    cut.split('\0').filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
}

/// `tokenizer_config.json`, with the chat template.
pub fn tokenizer_config() -> Value {
    json!({
        "add_bos_token": false,
        "add_prefix_space": false,
        "bos_token": null,
        "chat_template": include_str!("assets/chat_template.jinja").trim_end(),
        "clean_up_tokenization_spaces": false,
        "eos_token": "<|im_end|>",
        "errors": "replace",
        "model_max_length": 8192,
        "pad_token": "<|endoftext|>",
        "split_special_tokens": false,
        "tokenizer_class": "Qwen2Tokenizer",
        "unk_token": null,
    })
}
