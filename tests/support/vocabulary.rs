//! Small tokenizers in GGUF files.

use super::gguf::{GgufFile, Value, file};

/// Words that the byte-level vocabulary knows as tokens; each is built from its beginning, letter by letter.
const WORDS: &[&str] = &[
    " the", " der", "Hello", " world", "we've", "WE'LL", "'ll", "123", " 42", "2024", "!!", "...", "  ",
    "    ", "\n\n", " ==", "fn", "ä", "é", "на", "我们", "한", "👍", "caf", "_x", ":-)", "<|",
];

/// Byte-level BPE with the 256 bytes, [`WORDS`] and two control tokens, whose words are cut as `pre` says.
pub(crate) fn byte_level(pre: &'static str) -> GgufFile {
    let mut tokens: Vec<String> = (0..=255).map(spelled).collect();
    let mut merges: Vec<String> = Vec::new();
    for word in WORDS {
        let letters: Vec<String> = word.bytes().map(spelled).collect();
        let mut left = letters[0].clone();
        for right in &letters[1..] {
            let merge = format!("{left} {right}");
            left.push_str(right);
            if !merges.contains(&merge) {
                merges.push(merge);
            }
            if !tokens.contains(&left) {
                tokens.push(left.clone());
            }
        }
    }
    let mut kinds = vec![1; tokens.len()];
    for control in ["<|im_start|>", "<|im_end|>"] {
        tokens.push(control.to_owned());
        kinds.push(3);
    }
    shell("gpt2")
        .with("tokenizer.ggml.pre", Value::Text(pre))
        .with("tokenizer.ggml.eos_token_id", Value::U32(tokens.len() as u32 - 1))
        .with("tokenizer.ggml.tokens", texts(tokens))
        .with("tokenizer.ggml.token_type", integers(kinds))
        .with("tokenizer.ggml.merges", texts(merges))
}

/// A byte as it is spelled in byte-level tokens: printable Latin-1 as itself, the others from U+0100 on.
/// Source: `bytes_to_unicode` of GPT-2's encoder.
fn spelled(byte: u8) -> String {
    let printable = |byte: u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let code = if printable(byte) {
        u32::from(byte)
    } else {
        256 + (0..byte).filter(|other| !printable(*other)).count() as u32
    };
    char::from_u32(code).unwrap().to_string()
}

/// BPE by scores (`llama`): unknown, begin and end, the 256 bytes, pieces with falling scores, runs of spaces that are all
/// equally bad, and two tokens of the user.
pub(crate) fn sentence_piece() -> GgufFile {
    let mut tokens: Vec<(String, f32, i32)> =
        vec![("<unk>".to_owned(), 0.0, 2), ("<s>".to_owned(), 0.0, 3), ("</s>".to_owned(), 0.0, 3)];
    tokens.extend((0..=255_u8).map(|byte| (format!("<0x{byte:02X}>"), 0.0, 6)));
    let pieces = "▁t he ▁the in ▁a er on re ▁w or ld ▁wor ▁world el lo Hel Hello ab ba aba ▁in it ▁it 'll ▁na на ▁на 我们";
    tokens.extend(pieces.split(' ').zip(0_u16..).map(|(piece, at)| (piece.to_owned(), -f32::from(at), 1)));
    tokens.extend((2..=5).map(|count| ("▁".repeat(count), -1e9, 1)));
    tokens.extend("▁abcdefghilnorstwxHé'.,!1на我们".chars().map(|one| (one.to_string(), -100.0, 1)));
    tokens.extend(["[user]", "\n\n"].map(|text| (text.to_owned(), -1000.0, 4)));
    shell("llama")
        .with("tokenizer.ggml.bos_token_id", Value::U32(1))
        .with("tokenizer.ggml.eos_token_id", Value::U32(2))
        .with("tokenizer.ggml.tokens", texts(tokens.iter().map(|(text, ..)| text.clone()).collect()))
        .with(
            "tokenizer.ggml.scores",
            Value::Array(6, tokens.iter().map(|token| Value::F32(token.1)).collect()),
        )
        .with("tokenizer.ggml.token_type", integers(tokens.iter().map(|token| token.2).collect()))
}

/// What stands in every file of a vocabulary alone.
fn shell(model: &'static str) -> GgufFile {
    file()
        .with("general.architecture", Value::Text("llama"))
        .with("llama.context_length", Value::U32(64))
        .with("llama.embedding_length", Value::U32(32))
        .with("llama.block_count", Value::U32(1))
        .with("llama.feed_forward_length", Value::U32(32))
        .with("llama.attention.head_count", Value::U32(1))
        .with("llama.attention.layer_norm_rms_epsilon", Value::F32(1e-5))
        .with("tokenizer.ggml.model", Value::Text(model))
}

pub(crate) fn texts(texts: Vec<String>) -> Value {
    Value::Array(8, texts.into_iter().map(Value::Owned).collect())
}

pub(crate) fn integers(numbers: Vec<i32>) -> Value {
    Value::Array(5, numbers.into_iter().map(Value::I32).collect())
}
