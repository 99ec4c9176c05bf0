//! The decoder against itself: however a prompt is cut, cached or batched, the same logits come out, bit for bit.

use crate::support::tiny::{Tiny, all, tokens, wide};
use planrun::condition::{Settings, Stated};
use planrun::engine::{CandleEngine, Engine};
use planrun::generation::{Prompt, Request, Sampling};
use std::path::Path;
use tempfile::TempDir;

/// Longer than any prompt here.
const WHOLE: u32 = 100_000;
const SCHEMES: [&str; 13] =
    ["f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q2_k", "q3_k", "q4_k", "q5_k", "q6_k"];

/// A model that is opened with different chunks.
struct Model {
    folder: TempDir,
    name: &'static str,
    scheme: &'static str,
}

impl Model {
    fn pico() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), name: "pico", scheme: "q4_k" }
    }

    fn tiny(tiny: &Tiny, scheme: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        tiny.gguf().write(folder.path(), "tiny.gguf");
        Self { folder, name: "tiny.gguf", scheme }
    }

    /// Every scheme on one family, and every family with its heads, windows and layers without positions.
    fn each() -> Vec<Self> {
        let schemes = SCHEMES.iter().map(|scheme| Self::tiny(&wide(), scheme));
        schemes.chain(all().iter().map(|tiny| Self::tiny(tiny, "q8_0"))).chain([Self::pico()]).collect()
    }

    /// A scheme of each kind: floats, short blocks with and without minima, superblocks, candle's own.
    fn some() -> Vec<Self> {
        let schemes = ["f32", "q8_0", "q4_1", "q4_k", "q2_k"].map(|scheme| Self::tiny(&wide(), scheme));
        let families = all().into_iter().filter(|tiny| matches!(tiny.name, "gemma3" | "smollm3"));
        schemes
            .into_iter()
            .chain(families.map(|tiny| Self::tiny(&tiny, "f32")))
            .chain([Self::pico()])
            .collect()
    }

    fn open(&self, chunk: u32) -> CandleEngine {
        let settings = Settings {
            model: Stated::Set(self.name.to_owned()),
            quantization: Stated::Set(self.scheme.to_owned()),
            prefill_chunk: Stated::Set(chunk),
            ..Settings::default()
        };
        CandleEngine::open(&settings, self.folder.path()).unwrap()
    }
}

fn greedy(engine: &mut CandleEngine, prompt: &[u32], max_tokens: u32) -> Vec<u32> {
    let prompt = Prompt { text: String::new(), ids: Some(prompt.to_vec()), chat: None };
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
    let request = Request { prompt, max_tokens, sampling, ignore_eos: true };
    engine.forget().unwrap();
    engine.generate(&request).unwrap().ids.unwrap()
}

fn assert_same(one: &[f32], other: &[f32], what: &str) {
    let bits = |logits: &[f32]| logits.iter().map(|logit| logit.to_bits()).collect::<Vec<_>>();
    let gap = one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(bits(one) == bits(other), "{what}: logits differ, by up to {gap}");
}

#[test]
fn logits_and_replies_do_not_depend_on_the_size_of_a_chunk() {
    let prompt = tokens(70);
    for model in Model::each() {
        let what = format!("{} {}", model.name, model.scheme);
        let mut whole = model.open(WHOLE);
        let (logits, reply) = (whole.logits(&prompt).unwrap(), greedy(&mut whole, &prompt, 8));
        for chunk in [1, 7, 64] {
            let mut engine = model.open(chunk);
            assert_same(&engine.logits(&prompt).unwrap(), &logits, &format!("{what}, chunks of {chunk}"));
            assert_eq!(greedy(&mut engine, &prompt, 8), reply, "{what}, chunks of {chunk}");
        }
    }
}

#[test]
fn a_prompt_of_more_than_512_tokens_gives_one_reply_whatever_the_chunk() {
    let prompt = tokens(600);
    for tiny in all().iter().filter(|tiny| matches!(tiny.name, "llama" | "gemma3")) {
        let model = Model::tiny(tiny, "q8_0");
        let mut whole = model.open(WHOLE);
        let (logits, reply) = (whole.logits(&prompt).unwrap(), greedy(&mut whole, &prompt, 16));
        for chunk in [64, 512] {
            let mut engine = model.open(chunk);
            assert_same(&engine.logits(&prompt).unwrap(), &logits, &format!("{}, {chunk}", tiny.name));
            assert_eq!(greedy(&mut engine, &prompt, 16), reply, "{}, {chunk}", tiny.name);
        }
    }
}

#[test]
fn a_cache_cut_back_and_extended_gives_the_logits_of_a_fresh_one() {
    let long = tokens(90);
    let other = [&long[..40], &tokens(26)[1..]].concat();
    for model in Model::some() {
        let mut engine = model.open(64);
        let what = |held: &str| format!("{} {}, {held}", model.name, model.scheme);
        let fresh = engine.logits(&other).unwrap();
        engine.logits(&long).unwrap();
        assert_same(&engine.logits_after(&long, &other).unwrap(), &fresh, &what("a shared prefix of 40"));
        assert_same(&engine.logits_after(&other, &other).unwrap(), &fresh, &what("all but the last token"));
    }
}

#[test]
fn logits_after_each_token_are_those_of_the_prompts_that_end_there() {
    let prompt = tokens(70);
    for model in Model::some() {
        let mut engine = model.open(16);
        let mut each = Vec::new();
        engine.logits_after_each(&prompt, |index, logits| each.push((index, logits.to_vec()))).unwrap();
        assert_eq!(each.len(), prompt.len());
        for (index, logits) in each.iter().step_by(23) {
            let what = format!("{} {}, after token {index}", model.name, model.scheme);
            assert_same(logits, &engine.logits(&prompt[..=*index]).unwrap(), &what);
        }
    }
}

#[test]
fn a_sequence_alone_gives_the_logits_that_it_gives_among_others() {
    let prompts = [tokens(30), tokens(3), tokens(61)[5..].to_vec()];
    let parts: Vec<&[u32]> = prompts.iter().map(Vec::as_slice).collect();
    for model in Model::some() {
        let mut engine = model.open(512);
        let together = engine.logits_together(&parts).unwrap();
        for (prompt, logits) in prompts.iter().zip(&together) {
            let what = format!("{} {}, {} tokens alone", model.name, model.scheme, prompt.len());
            assert_same(logits, &engine.logits(prompt).unwrap(), &what);
        }
    }
}

/// By hand: `PLANRUN_MODEL=MODEL.gguf cargo test --release --test planrun -- --ignored --nocapture
/// a_real_model_gives_one_reply`.
#[test]
#[ignore = "needs the GGUF file that PLANRUN_MODEL names"]
fn a_real_model_gives_one_reply_whatever_the_chunk_the_cache_and_the_company() {
    let settings = |chunk| Settings {
        model: Stated::Set(std::env::var("PLANRUN_MODEL").unwrap()),
        prefill_chunk: Stated::Set(chunk),
        ..Settings::default()
    };
    let open = |chunk| CandleEngine::open(&settings(chunk), Path::new(".")).unwrap();
    let mut whole = open(WHOLE);
    let text = include_str!("../README.md");
    let prompt = whole.tokenize(text).unwrap()[..700].to_vec();
    let (logits, reply) = (whole.logits(&prompt).unwrap(), greedy(&mut whole, &prompt, 64));
    println!("{} prompt tokens; whole: {} ids, {reply:?}", prompt.len(), reply.len());
    for chunk in [1, 7, 64, 512] {
        let mut engine = open(chunk);
        assert_same(&engine.logits(&prompt).unwrap(), &logits, &format!("chunks of {chunk}"));
        assert_eq!(greedy(&mut engine, &prompt, 64), reply, "chunks of {chunk}");
        println!("chunks of {chunk}: the same logits and ids");
    }
    let other = [&prompt[..300], &[5; 200]].concat();
    whole.logits(&other).unwrap();
    assert_same(&whole.logits_after(&other, &prompt).unwrap(), &logits, "cut back to 300");
    println!("cut back from 500 tokens to 300 and extended: the same logits");
    let together = whole.logits_together(&[&other, &prompt, &prompt[..9]]).unwrap();
    assert_same(&together[1], &logits, "among others");
    println!("in a batch of 3: the same logits");
}
