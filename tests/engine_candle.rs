//! The in-process engine on the embedded model.

use crate::peer::Peer;
use candle_core::DType;
use candle_core::quantized::GgmlDType;
use planrun::condition::{Settings, Stated};
use planrun::engine::{CANDLE_TRANSFORMERS_VERSION, CANDLE_VERSION, CandleEngine, Engine, EngineError, open};
use planrun::generation::{Generation, Message, Prompt, Request, Role, Sampling};
use std::path::Path;

fn settings(quantization: &str) -> Settings {
    Settings {
        model: Stated::Set("pico".to_owned()),
        quantization: Stated::Set(quantization.to_owned()),
        ..Settings::default()
    }
}

fn pico(settings: &Settings) -> CandleEngine {
    CandleEngine::open(settings, Path::new(".")).unwrap()
}

fn greedy() -> Sampling {
    Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 }
}

fn question(engine: &CandleEngine, text: &str, thinking: bool) -> Prompt {
    let message = Message { role: Role::User, content: text.to_owned() };
    engine.render(&[message], Stated::Set(thinking)).unwrap()
}

fn ask(engine: &mut CandleEngine, text: &str, thinking: bool, max_tokens: u32) -> Generation {
    let prompt = question(engine, text, thinking);
    engine.generate(&Request { prompt, max_tokens, sampling: greedy(), ignore_eos: false }).unwrap()
}

const QUESTIONS: [(&str, bool); 4] = [
    ("What is 12 + 30?", true),
    ("What is 912 - 77?", false),
    ("How many times does the letter e occur in cheese?", true),
    ("Sort: 9 3 7 1", false),
];

fn largest_gap(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn peer_logits(peer: &mut Peer, ids: &[u32]) -> Vec<f32> {
    peer.clear();
    peer.forward(ids, 0).unwrap().to_vec1().unwrap()
}

/// Logits after a prompt, and after each tenth token of the reply, equal candle-transformers' within `tolerance`.
fn agrees_with(peer: &mut Peer, scheme: &str, tolerance: f32) {
    // Parts this short go through the kernels of single tokens, whatever the scheme.
    let mut engine = pico(&Settings { prefill_chunk: Stated::Set(16), ..settings(scheme) });
    for (text, thinking) in QUESTIONS {
        let mut ids = question(&engine, text, thinking).ids.unwrap();
        let reply = ask(&mut engine, text, thinking, 40).ids.unwrap();
        for part in reply.chunks(10) {
            let (ours, theirs) = (engine.logits(&ids).unwrap(), peer_logits(peer, &ids));
            let gap = largest_gap(&ours, &theirs);
            assert!(gap < tolerance, "{scheme}: logits differ by {gap} after {} tokens", ids.len());
            ids.extend_from_slice(part);
        }
    }
}

#[test]
fn f32_logits_equal_those_of_another_decoder() {
    agrees_with(&mut Peer::float(DType::F32).unwrap(), "f32", 1e-4);
}

#[test]
fn f32_greedy_replies_equal_those_of_another_decoder() {
    let mut peer = Peer::float(DType::F32).unwrap();
    let mut engine = pico(&settings("f32"));
    for (text, thinking) in QUESTIONS {
        let prompt = question(&engine, text, thinking).ids.unwrap();
        let ours = ask(&mut engine, text, thinking, 100).ids.unwrap();
        peer.clear();
        let mut theirs = vec![peer.next(&prompt, 0).unwrap()];
        while theirs.len() < ours.len() {
            let last = theirs[theirs.len() - 1];
            theirs.push(peer.next(&[last], prompt.len() + theirs.len() - 1).unwrap());
        }
        assert_eq!(ours, theirs, "{text}");
    }
}

#[test]
fn half_precision_logits_stay_near_those_of_f32() {
    let mut peer = Peer::float(DType::F32).unwrap();
    agrees_with(&mut peer, "f16", 0.05);
    agrees_with(&mut peer, "bf16", 0.05);
}

#[test]
fn quantized_logits_equal_those_of_another_decoder_with_the_same_blocks() {
    use GgmlDType as D;
    for (scheme, dtype, head) in [
        ("q8_0", D::Q8_0, D::Q8_0),
        ("q6_k", D::Q6K, D::Q6K),
        ("q5_k", D::Q5K, D::Q6K),
        ("q4_k", D::Q4K, D::Q6K),
        ("q3_k", D::Q3K, D::Q6K),
        ("q2_k", D::Q2K, D::Q6K),
        ("q5_1", D::Q5_1, D::Q6K),
        ("q5_0", D::Q5_0, D::Q6K),
        ("q4_1", D::Q4_1, D::Q6K),
        ("q4_0", D::Q4_0, D::Q6K),
    ] {
        agrees_with(&mut Peer::quantized(dtype, head).unwrap(), scheme, 0.2);
    }
}

#[test]
fn reading_a_prompt_at_once_equals_reading_it_token_by_token() {
    for scheme in ["f32", "q8_0", "q2_k"] {
        let prompt = pico(&settings(scheme)).synthetic_prompt(150, 3).unwrap().ids.unwrap();
        let at_once = pico(&settings(scheme)).logits(&prompt).unwrap();
        for chunk in [1, 7, 64] {
            let chunked = Settings { prefill_chunk: Stated::Set(chunk), ..settings(scheme) };
            assert_eq!(at_once, pico(&chunked).logits(&prompt).unwrap(), "{scheme}: chunks of {chunk}");
        }
    }
}

#[test]
fn memory_is_foreseen_in_the_formats_that_the_weights_are_held_in() {
    let held = |scheme: &str| {
        let engine = pico(&settings(scheme));
        let bits = *engine.observed().bits_per_weight.get().unwrap();
        (engine.footprint().unwrap().weights as f64, bits)
    };
    let (whole, bits_of_whole) = held("f32");
    for scheme in ["f16", "q8_0", "q6_k", "q4_k", "q2_k", "q4_0"] {
        let (bytes, bits) = held(scheme);
        let gap = bytes / whole / (bits / bits_of_whole) - 1.0;
        assert!(gap.abs() < 1e-6, "{scheme}: {bytes} bytes foreseen for {bits} bits a weight");
    }
}

#[test]
fn a_reply_counts_every_token_and_its_time() {
    let mut engine = pico(&settings("f32"));
    let reply = ask(&mut engine, QUESTIONS[0].0, true, 200);
    let ids = reply.ids.as_ref().unwrap();
    assert_eq!(reply.tokens, Some(ids.len() as u32));
    assert_eq!(reply.times.deliveries.len(), ids.len());
    let compute = reply.times.compute.unwrap();
    assert_eq!(compute.steps as usize, ids.len() - 1);
    let decode = reply.times.deliveries.last().unwrap().at - reply.times.deliveries[0].at;
    assert!(compute.seconds > 0.0 && compute.seconds <= decode, "{compute:?} in {decode} s");
    assert!(reply.times.deliveries.windows(2).all(|pair| pair[0].at <= pair[1].at));
    assert_eq!(reply.prompt_tokens, Some(question(&engine, QUESTIONS[0].0, true).ids.unwrap().len() as u32));
    assert!(!reply.text.contains("<|im_end|>"));
}

#[test]
fn sampling_repeats_by_seed() {
    let mut engine = pico(&settings("f32"));
    let prompt = question(&engine, QUESTIONS[2].0, true);
    let mut draw = |seed| {
        let sampling = Sampling { temperature: 1.5, top_k: Some(40), top_p: Some(0.95), seed };
        let request = Request { prompt: prompt.clone(), max_tokens: 30, sampling, ignore_eos: true };
        engine.generate(&request).unwrap().ids
    };
    assert_eq!(draw(5), draw(5));
    assert_ne!(draw(5), draw(6));
}

#[test]
fn what_was_found_is_recorded() {
    let engine = pico(&settings("q4_k"));
    let found = engine.observed();
    assert_eq!(found.source, Stated::Set("pico 1".to_owned()));
    assert_eq!(found.quantization, Stated::Set("q4_k".to_owned()));
    // 4.5 bits in the layers, 6.5625 in the tied head, 32 in the norms.
    assert!((4.5..4.8).contains(&found.bits_per_weight.or(0.0)), "{:?}", found.bits_per_weight);
    assert_eq!(found.kv_cache_dtype, Stated::Set("f32".to_owned()));
    assert_eq!(found.weights.get().map(String::len), Some(64));
    assert_eq!(pico(&settings("f32")).observed().weights, found.weights);
    assert!(engine.has_thinking_switch());
}

#[test]
fn the_recorded_version_of_candle_is_the_one_that_is_linked() {
    let lock = include_str!("../Cargo.lock");
    let entry = format!("name = \"candle-core\"\nversion = \"{CANDLE_VERSION}\"");
    assert!(lock.contains(&entry), "CANDLE_VERSION is {CANDLE_VERSION}, Cargo.lock has another");
    let entry = format!("name = \"candle-transformers\"\nversion = \"{CANDLE_TRANSFORMERS_VERSION}\"");
    assert!(lock.contains(&entry), "Cargo.lock has no candle-transformers {CANDLE_TRANSFORMERS_VERSION}");
}

#[test]
fn settings_that_would_be_ignored_are_refused_by_name() {
    let refuse = |settings: Settings, field: &str| {
        let error = open(&settings, Path::new("."), None).err().unwrap();
        assert!(
            matches!(&error, EngineError::Unsupported { field: found, .. } if *found == field),
            "{error}"
        );
    };
    refuse(settings("q9_9"), "quantization");
    refuse(Settings { kv_cache_dtype: Stated::Set("q8_0".to_owned()), ..settings("f32") }, "kv_cache_dtype");
    refuse(Settings { speculation: Stated::Set("ngram:4".to_owned()), ..settings("f32") }, "speculation");
    refuse(Settings { context_length: Stated::Set(1 << 20), ..settings("f32") }, "context_length");
    refuse(Settings { threads: Stated::Set(63), ..settings("f32") }, "threads");
    refuse(Settings { model: Stated::Set("hf:name".to_owned()), ..settings("f32") }, "model");
}
