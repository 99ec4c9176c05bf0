//! Tokenizers in GGUF files, against the ids that llama.cpp gives with the same files.

use crate::support::gguf::{GgufFile, Value};
use crate::support::vocabulary::{byte_level, integers, sentence_piece, texts};
use planrun::engine::Vocabulary;
use planrun::engine::gguf::Gguf;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeMap;

/// Token ids of all [`TEXTS`], by `tokenizer.ggml.pre` (`sentence-piece` for [`sentence_piece`]): made with llama.cpp
/// build 11549 (`llama_tokenize` with `parse_special` and without `add_special`) from the files that the builders write.
const LLAMA_CPP: &str = include_str!("support/llama_cpp_ids.json");

const TEXTS: &[&str] = &[
    "Hello world, we've got 12345 of the 42!!! WE'LL see...",
    "fn f(x: u32) -> u32 {\n\n    return the_x == 2024;  // caf\u{e9} :-)\r\n}\n\n\n",
    "Gr\u{f6}\u{df}e der Stra\u{df}e: \u{201e}\u{e4}h\u{201c} \u{2013} 1.234,56 \u{20ac}  \u{3000}x\u{a0}y\u{2003}z\t\t.",
    "\u{43d}\u{430} \u{4e16}\u{754c}\u{6211}\u{4eec} \u{d55c}\u{ad6d}\u{c5b4} \u{643}\u{62a}\u{628} \u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940} \u{e44}\u{e17}\u{e22} \u{661}\u{662}",
    "\u{1f44d}\u{1f3fd}\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{1f1e9}\u{1f1ea} \u{2764}\u{fe0f} e\u{301}\u{328} \u{1d518}\u{bd} \u{fffd}\u{0}\u{7f}",
    "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n<|other|> <s>[user] </s>",
    " ",
    "     Hello  world   the                    end ",
    "abababa the theatre, Hello Hello, in it 'll \u{43d}\u{430}\u{6211}\u{4eec}\n\n\n\n\n<0x0A>",
    "\n \n\r\n \t \n the",
];

fn open(file: &GgufFile) -> Result<Vocabulary, String> {
    let folder = tempfile::tempdir().unwrap();
    let gguf = Gguf::open(&file.write(folder.path(), "model.gguf")).unwrap();
    Vocabulary::from_gguf(&gguf, usize::MAX).map_err(|error| error.to_string())
}

fn refuses(file: &GgufFile, shown: &str) {
    let message = open(file).unwrap_err();
    assert!(message.contains("model.gguf") && message.contains(shown), "{shown:?} is missing in {message}");
}

#[test]
fn every_way_of_cutting_words_gives_llama_cpps_ids() {
    let all: BTreeMap<String, Vec<Vec<u32>>> = serde_json::from_str(LLAMA_CPP).unwrap();
    assert!(all.len() > 10);
    for (pre, expected) in all {
        let file = match pre.as_str() {
            "sentence-piece" => sentence_piece(),
            pre => byte_level("").instead("tokenizer.ggml.pre", Value::Owned(pre.to_owned())),
        };
        let vocabulary = open(&file).unwrap();
        for (text, ids) in TEXTS.iter().zip(&expected) {
            assert_eq!(&vocabulary.encode(text).unwrap(), ids, "{pre}: {text:?}");
        }
        assert_eq!(TEXTS.len(), expected.len());
    }
}

#[test]
fn texts_come_back() {
    for file in [byte_level("smollm"), byte_level("deepseek-llm")] {
        let vocabulary = open(&file).unwrap();
        for text in TEXTS {
            assert_eq!(&vocabulary.decode(&vocabulary.encode(text).unwrap()).unwrap(), text);
        }
    }
    let vocabulary = open(&sentence_piece()).unwrap();
    for text in ["Hello world, \u{43d}\u{430}\u{6211}\u{4eec} Zo\u{eb} \u{1f44d}\n", "a  b</s>"] {
        assert_eq!(vocabulary.decode(&vocabulary.encode(text).unwrap()).unwrap(), text);
    }
}

#[test]
fn an_unknown_tokenizer_or_way_of_cutting_is_refused_by_name() {
    refuses(&byte_level("made-up"), "`tokenizer.ggml.pre`: the way `made-up` cuts words is not known");
    let bert = byte_level("qwen2").instead("tokenizer.ggml.model", Value::Text("bert"));
    refuses(&bert, "`tokenizer.ggml.model`: `bert` tokenizers are not read");
}

/// mistral.rs PR #2215.
#[test]
fn lists_that_are_too_short_missing_or_of_another_type_are_refused_by_key() {
    let with = |key, value| sentence_piece().instead(key, value);
    let few = Value::Array(6, vec![Value::F32(0.0); 3]);
    refuses(&with("tokenizer.ggml.scores", few), "`tokenizer.ggml.scores`: it has 3 scores for");
    refuses(&with("tokenizer.ggml.scores", Value::U8(1)), "`tokenizer.ggml.scores`: it is 1 (u8)");
    refuses(&with("tokenizer.ggml.token_type", integers(vec![1])), "it has 1 kinds for");
    refuses(&with("tokenizer.ggml.tokens", texts(Vec::new())), "0 tokens make no vocabulary");
    refuses(&with("tokenizer.ggml.eos_token_id", Value::U32(5000)), "there is no token 5000 among");
    let same = vec!["a".to_owned(), "a".to_owned()];
    refuses(
        &byte_level("qwen2").instead("tokenizer.ggml.tokens", texts(same)),
        "the text \"a\" of token 0 comes twice",
    );
    let single = texts(vec!["ab".to_owned()]);
    refuses(&byte_level("qwen2").instead("tokenizer.ggml.merges", single), "merge 0 (\"ab\") is no pair");
    let mut without = byte_level("qwen2");
    without.entries.retain(|(key, _)| key != b"tokenizer.ggml.merges");
    refuses(&without, "`tokenizer.ggml.merges`: it is missing");
}

#[test]
fn kinds_may_be_numbers_of_any_type() {
    let file = sentence_piece();
    let count = open(&file).unwrap().encode("<s>").unwrap();
    let (_, kinds) =
        file.entries.iter().find(|(key, _)| key == b"tokenizer.ggml.token_type").unwrap().clone();
    let Value::Array(_, kinds) = kinds else { panic!("no array") };
    let wide = kinds.into_iter().map(|kind| match kind {
        Value::I32(kind) => Value::I64(kind.into()),
        other => other,
    });
    let file = file.instead("tokenizer.ggml.token_type", Value::Array(11, wide.collect()));
    assert_eq!(open(&file).unwrap().encode("<s>").unwrap(), count);
}

/// llama.cpp #7898: Qwen2 has no BOS, and token 11 (a comma) is none.
#[test]
fn without_a_bos_key_a_prompt_begins_with_nothing() {
    assert_eq!(open(&byte_level("qwen2")).unwrap().adds_bos(), None);
    let told = byte_level("qwen2").with("tokenizer.ggml.add_bos_token", Value::Bool(true));
    assert_eq!(open(&told).unwrap().adds_bos(), None, "there is none to add");
    let named = |pre| byte_level(pre).with("tokenizer.ggml.bos_token_id", Value::U32(7));
    assert_eq!(open(&named("qwen2")).unwrap().adds_bos(), None);
    assert_eq!(open(&named("llama-bpe")).unwrap().adds_bos(), Some(7));
    let untold = named("llama-bpe").with("tokenizer.ggml.add_bos_token", Value::Bool(false));
    assert_eq!(open(&untold).unwrap().adds_bos(), None);
    assert_eq!(open(&sentence_piece()).unwrap().adds_bos(), Some(1));
}

#[test]
fn replies_end_where_llama_cpp_ends_them() {
    let ends = |extra: &[&str]| {
        let mut file = byte_level("qwen2");
        let tokens = file.entries.iter_mut().find(|(key, _)| key == b"tokenizer.ggml.tokens").unwrap();
        let Value::Array(_, tokens) = &mut tokens.1 else { panic!("no array") };
        tokens.extend(extra.iter().map(|text| Value::Owned((*text).to_owned())));
        file.entries.retain(|(key, _)| key != b"tokenizer.ggml.token_type");
        open(&file).unwrap()
    };
    assert_eq!(ends(&[]).ends(), ["<|im_end|>"]);
    let vocabulary = ends(&["<|endoftext|>", "<|fim_pad|>", "<|fim_prefix|>", "</s>"]);
    assert_eq!(vocabulary.ends(), ["<|im_end|>", "<|endoftext|>", "<|fim_pad|>", "</s>"]);
    assert_eq!(
        vocabulary.encode("a<|fim_prefix|>").unwrap().len(),
        2,
        "it counts as special whatever its kind"
    );
    assert_eq!(ends(&["<|end|>", "<|return|>", "<|call|>"]).ends(), ["<|im_end|>", "<|return|>", "<|call|>"]);
}

#[test]
fn the_fingerprint_is_that_of_the_tokenizer_alone() {
    let of = |file: &GgufFile| open(file).unwrap().fingerprint().to_owned();
    let file = byte_level("qwen2");
    let mut turned = file.clone().with("tokenizer.chat_template", Value::Text("{{ x }}"));
    turned.entries.reverse();
    assert_eq!(of(&file), of(&turned));
    let changes = [
        file.clone().instead("tokenizer.ggml.pre", Value::Text("smollm")),
        file.clone().instead("tokenizer.ggml.eos_token_id", Value::U32(0)),
        file.clone().instead("tokenizer.ggml.merges", texts(vec!["a b".to_owned()])),
    ];
    for changed in &changes {
        assert_ne!(of(&file), of(changed));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]
    #[test]
    fn no_flipped_bit_in_a_tokenizer_panics(at in 0_usize..1 << 20, bit in 0_u8..8, scores in any::<bool>()) {
        let mut bytes = if scores { sentence_piece() } else { byte_level("smollm") }.bytes();
        let at = at % bytes.len();
        bytes[at] ^= 1_u8 << bit;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.gguf");
        std::fs::write(&path, bytes).unwrap();
        if let Ok(vocabulary) = Gguf::open(&path).map(|gguf| Vocabulary::from_gguf(&gguf, usize::MAX)) {
            match vocabulary {
                Ok(vocabulary) => {
                    let ids = vocabulary.encode(TEXTS[0]).unwrap();
                    prop_assert!(vocabulary.decode(&ids).is_ok());
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}

/// Prints the files for llama.cpp into the folder that `PLANRUN_DUMP` names.
#[test]
#[ignore = "it makes the files of which LLAMA_CPP was made"]
fn files_for_llama_cpp() {
    let folder = std::env::var("PLANRUN_DUMP").map(std::path::PathBuf::from).unwrap();
    for pre in serde_json::from_str::<BTreeMap<String, Vec<Vec<u32>>>>(LLAMA_CPP).unwrap().into_keys() {
        let file = byte_level("").instead("tokenizer.ggml.pre", Value::Owned(pre.clone()));
        file.write(&folder, &format!("{pre}.gguf"));
    }
    sentence_piece().write(&folder, "sentence-piece.gguf");
    std::fs::write(folder.join("texts.json"), serde_json::to_string(TEXTS).unwrap()).unwrap();
    assert!(folder.join("texts.json").exists());
}

/// By hand, with the texts and ids that `tests/benches/llama_tokens.py` writes: `PLANRUN_MODEL=MODEL.gguf
/// PLANRUN_TOKENS=tokens.jsonl cargo test --release --test planrun -- --ignored --nocapture llama_cpp_cuts`.
#[test]
#[ignore = "needs the GGUF file that PLANRUN_MODEL names, and llama.cpp's ids for it in PLANRUN_TOKENS"]
fn llama_cpp_cuts_a_corpus_into_the_same_tokens() {
    let named = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
    let gguf = Gguf::open(std::path::Path::new(&named("PLANRUN_MODEL"))).unwrap();
    let rows = gguf.metadata().texts("tokenizer.ggml.tokens").unwrap().unwrap().len();
    let vocabulary = Vocabulary::from_gguf(&gguf, rows).unwrap();
    let (mut texts, mut bytes, mut tokens, mut different) = (0, 0, 0, Vec::new());
    for line in std::fs::read_to_string(named("PLANRUN_TOKENS")).unwrap().lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = case["text"].as_str().unwrap();
        let theirs: Vec<u32> = serde_json::from_value(case["ids"].clone()).unwrap();
        (texts, bytes, tokens) = (texts + 1, bytes + text.len(), tokens + theirs.len());
        if vocabulary.encode(text).unwrap() != theirs {
            different.push(text.to_owned());
        }
    }
    println!("{texts} texts of {bytes} bytes, {tokens} tokens: {} texts differ", different.len());
    assert!(texts > 0 && different.is_empty(), "{different:?}");
}
