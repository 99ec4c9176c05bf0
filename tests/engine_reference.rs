//! The decoder against llama.cpp, family by family, on tiny random checkpoints of `f32` weights.
//!
//! llama.cpp's numbers stand in `cases/reference/llama_cpp.json`. To make them anew:
//! `PLANRUN_TINY=FOLDER cargo test --release --test planrun -- --ignored written_for_llama_cpp`, then
//! `python tests/cases/reference/llama_cpp.py FOLDER` (it needs `pip install xllamacpp`, which is llama.cpp), and for Gemma
//! without llama.cpp's table of GELU `gemma3.py` beside it.

use crate::support::gguf::{GgufFile, Value};
use crate::support::tiny::{Stretch, Tiny, all, tokens};
use planrun::condition::{Settings, Stated};
use planrun::engine::{CandleEngine, EngineError};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Long enough to leave every window several times.
const LENGTH: usize = 64;

/// Both sides compute in `f32` and differ only in the order of sums and in how they come to sines, exponentials and roots:
/// the largest difference is 0.00004, of which 0.00001 is how llama.cpp's numbers are printed and rounded.
const ROUNDING: f64 = 2e-4;
/// llama.cpp looks GELU up in a table of `f16` numbers: each gate is off by up to 0.0005 of itself. By the definition in
/// `f64`, these checkpoints are as far from llama.cpp as this decoder is: 0.0041.
const GELU_TABLE: f64 = 5e-3;

/// llama.cpp's log-probabilities.
#[derive(Deserialize)]
struct Expected {
    /// Of each token but the first, after those before it.
    next: Vec<f64>,
    /// Of every token of the vocabulary, after all.
    last: Vec<f64>,
}

fn by_llama_cpp() -> BTreeMap<String, Expected> {
    serde_json::from_str(include_str!("cases/reference/llama_cpp.json")).unwrap()
}

fn by_definition() -> BTreeMap<String, Expected> {
    serde_json::from_str(include_str!("cases/reference/gemma3.json")).unwrap()
}

fn open(tiny: &Tiny, folder: &Path) -> CandleEngine {
    open_file(&tiny.gguf(), folder).unwrap()
}

fn open_file(file: &GgufFile, folder: &Path) -> Result<CandleEngine, EngineError> {
    file.write(folder, "tiny.gguf");
    let settings = Settings { model: Stated::Set("tiny.gguf".to_owned()), ..Settings::default() };
    CandleEngine::open(&settings, folder)
}

fn open_folder(name: &str, base: &Path) -> CandleEngine {
    let settings = Settings { model: Stated::Set(name.to_owned()), ..Settings::default() };
    CandleEngine::open(&settings, base).unwrap()
}

fn named(name: &str) -> Tiny {
    all().into_iter().find(|tiny| tiny.name == name).unwrap()
}

fn log_softmax(logits: &[f32]) -> Vec<f64> {
    let logits: Vec<f64> = logits.iter().map(|logit| f64::from(*logit)).collect();
    let top = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let norm = top + logits.iter().map(|logit| (logit - top).exp()).sum::<f64>().ln();
    logits.iter().map(|logit| logit - norm).collect()
}

/// Largest differences: of the tokens' own log-probabilities, and of all after the last token.
fn gaps(engine: &mut CandleEngine, expected: &Expected) -> [f64; 2] {
    let tokens = tokens(LENGTH);
    let mut ours = Vec::new();
    engine.logits_after_each(&tokens, |_, logits| ours.push(log_softmax(logits))).unwrap();
    let next = tokens[1..].iter().zip(&ours).map(|(token, log_probs)| log_probs[*token as usize]);
    let largest = |ours: &[f64], theirs: &[f64]| {
        assert_eq!(ours.len(), theirs.len());
        ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    [largest(&next.collect::<Vec<_>>(), &expected.next), largest(&ours[LENGTH - 1], &expected.last)]
}

#[test]
fn every_family_gives_the_log_probabilities_of_llama_cpp() {
    let expected = by_llama_cpp();
    let folder = tempfile::tempdir().unwrap();
    for tiny in all() {
        let gaps = gaps(&mut open(&tiny, folder.path()), &expected[tiny.name]);
        println!("{:20} next token {:.1e}, all after the last {:.1e}", tiny.name, gaps[0], gaps[1]);
        let tolerance = if tiny.is_gemma() { GELU_TABLE } else { ROUNDING };
        assert!(gaps.iter().all(|gap| *gap < tolerance), "{}: {gaps:?}", tiny.name);
    }
}

#[test]
fn gemma_gives_the_log_probabilities_of_its_definition() {
    let expected = by_definition();
    let folder = tempfile::tempdir().unwrap();
    for tiny in all().iter().filter(|tiny| tiny.is_gemma()) {
        let gaps = gaps(&mut open(tiny, folder.path()), &expected[tiny.name]);
        println!("{:20} next token {:.1e}, all after the last {:.1e}", tiny.name, gaps[0], gaps[1]);
        assert!(gaps.iter().all(|gap| *gap < ROUNDING), "{}: {gaps:?}", tiny.name);
    }
}

#[test]
fn a_mistake_would_be_seen() {
    let expected = by_llama_cpp();
    let folder = tempfile::tempdir().unwrap();
    let seen = |name: &str, change: &dyn Fn(&mut Tiny)| {
        let mut tiny = named(name);
        change(&mut tiny);
        let gaps = gaps(&mut open(&tiny, folder.path()), &expected[name]);
        println!("{name:20} changed: next token {:.1e}, all after the last {:.1e}", gaps[0], gaps[1]);
        assert!(gaps[0] > 4.0 * GELU_TABLE, "{name}: {gaps:?}");
    };
    seen("gemma3", &|tiny| tiny.window = Some(9));
    seen("gemma3", &|tiny| tiny.window = None);
    seen("gemma3-linear", &|tiny| tiny.stretch = Stretch::None);
    seen("llama-linear", &|tiny| tiny.stretch = Stretch::None);
    seen("llama-untied-llama3", &|tiny| tiny.stretch = Stretch::None);
    seen("smollm3", &|tiny| tiny.family = "llama");
    seen("smollm3", &|tiny| tiny.theta = 4.5e6);
    seen("qwen2", &|tiny| tiny.family = "llama");
}

/// In the GGUF files of these families the numbers of a head stand in another order, so that products of queries and keys
/// are summed in another order; of `rope_freqs.weight` the divisors are rounded, and not the frequencies alone.
fn is_summed_otherwise(tiny: &Tiny) -> bool {
    matches!(tiny.family, "llama" | "smollm3")
}

#[test]
fn a_folder_and_the_gguf_file_of_one_checkpoint_give_the_same_logits() {
    let base = tempfile::tempdir().unwrap();
    let tokens = tokens(LENGTH);
    for tiny in all() {
        let logits = open(&tiny, base.path()).logits(&tokens).unwrap();
        tiny.write_folder(&base.path().join(tiny.name));
        let folder = open_folder(tiny.name, base.path()).logits(&tokens).unwrap();
        let gap = logits.iter().zip(&folder).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        println!("{:20} {gap:.1e}", tiny.name);
        let tolerance = if is_summed_otherwise(&tiny) { 1e-4 } else { 0.0 };
        assert!(logits.len() == folder.len() && gap <= tolerance, "{}: {gap}", tiny.name);
    }
}

#[test]
fn a_mistral_folder_is_a_llama_with_a_window() {
    let base = tempfile::tempdir().unwrap();
    named("llama").write_folder(&base.path().join("folder"));
    let config = base.path().join("folder/config.json");
    let llama = std::fs::read_to_string(&config).unwrap();
    let logits = |text: String| {
        std::fs::write(&config, text).unwrap();
        open_folder("folder", base.path()).logits(&tokens(LENGTH)).unwrap()
    };
    let plain = logits(llama.clone());
    let mistral = llama.replace("\"llama\"", "\"mistral\"");
    let windowed =
        |tokens: u32| mistral.replace("\"sliding_window\":null", &format!("\"sliding_window\":{tokens}"));
    assert_eq!(logits(mistral.clone()), plain);
    assert_eq!(logits(windowed(LENGTH as u32)), plain);
    assert_ne!(logits(windowed(16)), plain);
}

#[test]
fn keys_mean_what_they_mean_to_llama_cpp() {
    let folder = tempfile::tempdir().unwrap();
    let logits = |file: GgufFile| open_file(&file, folder.path()).unwrap().logits(&tokens(LENGTH)).unwrap();
    let windows =
        |value| logits(named("gemma3").gguf().with("gemma3.attention.sliding_window_pattern", value));
    let flags = [true, true, true, true, true, false, true].map(Value::Bool);
    let gemma = logits(named("gemma3").gguf());
    assert_eq!(windows(Value::U32(6)), gemma);
    assert_eq!(windows(Value::Array(7, flags.to_vec())), gemma);
    assert_ne!(windows(Value::U32(5)), gemma);
    let (plain, linear) = (named("llama").gguf(), named("llama-linear").gguf());
    let none = linear.clone().instead("llama.rope.scaling.type", Value::Text("none"));
    assert_eq!(logits(none), logits(plain.clone()), "a factor of the type `none`");
    let older = plain.with("llama.rope.scale_linear", Value::F32(4.0));
    assert_eq!(logits(older), logits(linear), "the older key of the factor");
}

#[test]
fn what_llama_cpp_adds_and_this_decoder_does_not_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |file: GgufFile, word: &str| {
        let error = open_file(&file, folder.path()).unwrap_err().to_string();
        assert!(error.contains(word) && error.contains("tiny.gguf"), "{error}");
    };
    let model = || named("llama").gguf();
    refused(model().tensor("blk.1.attn_output.bias", &[64], 0, vec![0; 256]), "blk.1.attn_output.bias");
    refused(model().with("llama.rope.scaling.attn_factor", Value::F32(1.2)), "attn_factor");
}

#[test]
#[ignore = "writes the files that llama.cpp is asked about, into the folder that PLANRUN_TINY names"]
fn tiny_checkpoints_are_written_for_llama_cpp() {
    let folder = std::env::var("PLANRUN_TINY").unwrap();
    for tiny in all() {
        assert!(tiny.gguf().write(Path::new(&folder), &format!("{}.gguf", tiny.name)).is_file());
    }
    let tokens = serde_json::to_string(&tokens(LENGTH)).unwrap();
    std::fs::write(Path::new(&folder).join("tokens.json"), tokens).unwrap();
}
