//! Families that candle-transformers computes: what they answer, what is recorded of them, what is refused.

use crate::support::families::{Named, configuration, tensors, write, write_tensors};
use crate::support::gguf::{Value as Metadata, file};
use half::bf16;
use planrun::abilities::UPSTREAM_FAMILIES;
use planrun::condition::{CacheState, Settings, Stated};
use planrun::engine::{CandleEngine, Engine, EngineError, foresee};
use planrun::generation::{Prompt, Request, Sampling};
use planrun::task::Scorer;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

/// Rounding of f32 sums taken in another order.
const ROUNDING: f32 = 1e-3;

/// A plan's folder with the model `tiny` in it.
fn folder(config: &Value) -> TempDir {
    let base = tempfile::tempdir().unwrap();
    write(&base.path().join("tiny"), config);
    base
}

fn settings() -> Settings {
    Settings { model: Stated::Set("tiny".to_owned()), ..Settings::default() }
}

fn open(config: &Value, settings: &Settings) -> Result<CandleEngine, EngineError> {
    CandleEngine::open(settings, folder(config).path())
}

fn tiny(family: &str) -> CandleEngine {
    open(&configuration(family), &settings()).unwrap_or_else(|error| panic!("{family}: {error}"))
}

fn prompt(length: u32, step: u32) -> Vec<u32> {
    (0..length).map(|at| 20 + at * step % 400).collect()
}

/// A greedy reply of twelve tokens.
fn reply(engine: &mut CandleEngine, prompt: &[u32]) -> Vec<u32> {
    let request = Request {
        prompt: Prompt { text: String::new(), ids: Some(prompt.to_vec()), chat: None },
        max_tokens: 12,
        sampling: Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 },
        ignore_eos: true,
    };
    let generation = engine.generate(&request).unwrap();
    assert_eq!((generation.cached_tokens, generation.prompt_tokens), (Some(0), Some(prompt.len() as u32)));
    generation.ids.unwrap()
}

fn likeliest(logits: &[f32]) -> u32 {
    let best = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    logits.iter().position(|&logit| logit >= best).unwrap() as u32
}

fn gap(one: &[f32], other: &[f32]) -> f32 {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn a_reply_does_not_depend_on_what_was_asked_before() {
    for family in UPSTREAM_FAMILIES {
        let mut engine = tiny(family);
        let first = reply(&mut engine, &prompt(30, 37));
        assert_eq!(first.len(), 12, "{family}");
        reply(&mut engine, &prompt(9, 11));
        reply(&mut engine, &prompt(1, 1));
        assert_eq!(reply(&mut engine, &prompt(30, 37)), first, "{family}");
        engine.forget().unwrap();
        assert_eq!(reply(&mut engine, &prompt(30, 37)), first, "{family}");
        assert_eq!(reply(&mut tiny(family), &prompt(30, 37)), first, "{family}");
    }
}

#[test]
fn tokens_written_one_by_one_are_those_that_reading_at_once_predicts() {
    for family in UPSTREAM_FAMILIES {
        let mut engine = tiny(family);
        for length in [1, 2, 5, 40] {
            let mut read = prompt(length, 37);
            for token in reply(&mut engine, &read.clone()) {
                assert_eq!(
                    likeliest(&engine.logits(&read).unwrap()),
                    token,
                    "{family} after {} tokens",
                    read.len()
                );
                read.push(token);
            }
        }
    }
}

#[test]
fn a_model_that_both_compute_gets_the_same_logits_from_both() {
    let mut config = configuration("granite");
    for key in ["embedding_multiplier", "residual_multiplier", "logits_scaling"] {
        config[key] = json!(1.0);
    }
    config["attention_multiplier"] = json!(0.25);
    let library = open(&config, &settings()).unwrap().logits(&prompt(50, 37)).unwrap();
    config["model_type"] = json!("llama");
    let own = open(&config, &settings()).unwrap().logits(&prompt(50, 37)).unwrap();
    assert!(gap(&library, &own) < ROUNDING, "{}", gap(&library, &own));
}

/// Some logits (of these tokens) after 24 and after 100 tokens, as llama.cpp computes them from the same weights in an
/// f32 GGUF file (build 11434, f32 cache). It looks GELU up in a table of f16 numbers.
const WATCHED: [usize; 6] = [7, 70, 170, 300, 411, 511];
const LLAMA_CPP: [(&str, [f32; 6], [f32; 6]); 7] = [
    (
        "gemma2",
        [-0.77333, 0.47011, -0.62980, 0.24362, -0.04483, 0.15863],
        [-0.55437, 1.29573, -0.72077, 0.33309, 0.71504, -0.38097],
    ),
    (
        "glm4",
        [0.71414, -0.66544, -0.37824, 1.57969, -0.05437, 1.99776],
        [0.81268, -1.06171, -0.75389, -0.24559, -0.31169, 2.01152],
    ),
    (
        "granite",
        [-0.44676, 0.33925, -0.35958, 0.02807, -0.08612, 0.32754],
        [0.48534, 0.62261, -0.58253, 0.41692, 0.28894, 0.40091],
    ),
    (
        "granitemoehybrid",
        [-0.54820, 0.34639, 0.33252, -0.32655, 1.13360, 0.56647],
        [0.55432, -0.19088, -0.64690, -0.71859, 0.47468, 0.43204],
    ),
    (
        "lfm2",
        [0.78976, -0.41097, -0.29242, 0.67908, 2.17620, -0.39343],
        [1.12871, 0.27186, 0.11276, -0.08321, -0.27353, -0.62260],
    ),
    (
        "olmo2",
        [-0.10212, -1.20394, 0.56622, -0.76747, -0.51535, 0.32309],
        [0.35647, -0.57611, 0.85836, -0.89874, -0.77091, 0.85093],
    ),
    (
        "phi3",
        [0.41689, -0.74464, -1.54608, 1.24604, -0.39403, -0.58966],
        [-0.23098, -2.38086, -0.67805, 0.11026, 1.30013, -0.65599],
    ),
];

#[test]
fn logits_are_those_of_llama_cpp() {
    assert_eq!(LLAMA_CPP.map(|(family, ..)| family).as_slice(), UPSTREAM_FAMILIES);
    for (family, after_24, after_100) in LLAMA_CPP {
        let mut engine = tiny(family);
        for (length, expected) in [(24, after_24), (100, after_100)] {
            let logits = engine.logits(&prompt(length, 37)).unwrap();
            let gap = gap(&WATCHED.map(|id| logits[id]), &expected);
            assert!(
                gap < if family == "gemma2" { 2e-3 } else { 5e-5 },
                "{family} after {length} tokens: {gap}"
            );
        }
    }
}

#[test]
fn half_precision_weights_are_widened() {
    let base = folder(&configuration("olmo2"));
    let file = base.path().join("tiny/model.safetensors");
    let stored = fs::read(&file).unwrap();
    let all = SafeTensors::deserialize(&stored).unwrap();
    let halves = |numbers: &[u8]| -> Vec<bf16> {
        numbers.as_chunks::<4>().0.iter().map(|four| bf16::from_f32(f32::from_le_bytes(*four))).collect()
    };
    let mut logits = Vec::new();
    for dtype in [Dtype::BF16, Dtype::F32] {
        let bytes = |numbers: Vec<bf16>| -> Vec<u8> {
            match dtype {
                Dtype::BF16 => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
                _ => numbers.iter().flat_map(|number| number.to_f32().to_le_bytes()).collect(),
            }
        };
        let bytes: Vec<_> = all
            .iter()
            .map(|(name, view)| (name, view.shape().to_vec(), bytes(halves(view.data()))))
            .collect();
        let views = bytes
            .iter()
            .map(|(name, shape, bytes)| (*name, TensorView::new(dtype, shape.clone(), bytes).unwrap()));
        fs::write(&file, safetensors::serialize(views, None).unwrap()).unwrap();
        let mut engine = CandleEngine::open(&settings(), base.path()).unwrap();
        assert_eq!(engine.observed().bits_per_weight, Stated::Set(32.0));
        logits.push(engine.logits(&prompt(20, 37)).unwrap());
    }
    assert_eq!(logits[0], logits[1]);
}

#[test]
fn records_say_whose_code_computed_the_model() {
    for family in UPSTREAM_FAMILIES {
        let engine = tiny(family);
        let found = engine.observed();
        assert_eq!(found.runtime.get().unwrap().name, "candle-transformers");
        assert_eq!(found.quantization, Stated::Set("f32".to_owned()));
        assert_eq!(found.bits_per_weight, Stated::Set(32.0));
        assert_eq!(found.prefill_chunk, Stated::Unset);
        let context = match *family {
            "gemma2" => 128,
            "phi3" => 200,
            _ => 256,
        };
        assert_eq!(found.context_length, Stated::Set(context), "{family}");
    }
}

#[test]
fn memory_is_foreseen_from_the_tensors() {
    let base = folder(&configuration("olmo2"));
    let footprint = foresee(&settings(), base.path()).unwrap().unwrap();
    let numbers: usize = tensors("olmo2").iter().map(|(_, shape)| shape.iter().product::<usize>()).sum();
    assert_eq!(footprint.weights, 4 * numbers as u64);
    assert_eq!(footprint.cache_per_token, 2 * 3 * 32 * 4);
    let engine = CandleEngine::open(&settings(), base.path()).unwrap();
    assert_eq!(engine.footprint(), Some(footprint));
}

#[test]
fn what_these_models_cannot_do_is_refused_by_name() {
    for (field, settings) in [
        ("quantization", Settings { quantization: Stated::Set("q4_k".to_owned()), ..settings() }),
        ("quantization", Settings { quantization: Stated::Set("bf16".to_owned()), ..settings() }),
        ("prefill_chunk", Settings { prefill_chunk: 64.into(), ..settings() }),
        ("prefix_cache", Settings { prefix_cache: CacheState::Warm.into(), ..settings() }),
        ("context_length", Settings { context_length: 201.into(), ..settings() }),
        ("scorer", Settings { scorer: Scorer::Loglikelihood.into(), ..settings() }),
    ] {
        let error = open(&configuration("phi3"), &settings).unwrap_err();
        assert!(
            matches!(&error, EngineError::Unsupported { field: named, .. } if *named == field),
            "{error}"
        );
        assert!(error.to_string().contains("phi3"), "{error}");
    }
    let f32 = Settings { quantization: Stated::Set("f32".to_owned()), ..settings() };
    assert!(open(&configuration("phi3"), &f32).is_ok());
    let mut engine = tiny("lfm2");
    let refused = [
        engine.logits_after_each(&[5, 6], |_, _| ()).unwrap_err(),
        engine.logits_together(&[&[5], &[6]]).unwrap_err(),
        engine.logits_after(&[5], &[5, 6]).unwrap_err(),
    ];
    for error in refused {
        assert!(matches!(&error, EngineError::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains("candle-transformers does not do that"), "{error}");
    }
}

#[test]
fn configurations_that_would_be_computed_wrongly_are_refused() {
    let scaled = json!({ "type": "longrope", "short_factor": [1.0], "long_factor": [2.0] });
    for (family, key, value, told) in [
        ("phi3", "rope_scaling", scaled, "longrope"),
        ("phi3", "partial_rotary_factor", json!(0.05), "partial_rotary_factor"),
        ("phi3", "head_dim", json!(32), "each has 32"),
        ("gemma2", "query_pre_attn_scalar", json!(144), "query_pre_attn_scalar"),
        ("gemma2", "tie_word_embeddings", json!(false), "tie_word_embeddings"),
        ("granite", "tie_word_embeddings", json!(false), "tie_word_embeddings"),
        ("granite", "attention_bias", json!(true), "attention_bias"),
        ("granitemoehybrid", "layer_types", json!(["mamba", "attention", "mamba"]), "Mamba"),
        ("granitemoehybrid", "num_local_experts", json!(62), "experts"),
        ("granitemoehybrid", "position_embedding_type", json!("nope"), "position_embedding_type"),
        ("lfm2", "conv_bias", json!(true), "conv_bias"),
        ("lfm2", "layer_types", json!(["conv"]), "1 layers of 3"),
        ("olmo2", "clip_qkv", json!(8.0), "clip_qkv"),
        ("olmo2", "hidden_act", json!("gelu"), "hidden_act"),
        ("glm4", "num_key_value_heads", json!(0), "num_key_value_heads"),
        ("glm4", "num_key_value_heads", json!(3), "no multiple"),
        ("glm4", "vocab_size", json!("many"), "invalid type"),
    ] {
        let mut config = configuration(family);
        config[key] = value;
        let text = open(&config, &settings()).unwrap_err().to_string();
        assert!(text.contains(family) && text.contains(told) && text.contains("config.json"), "{text}");
    }
}

#[test]
fn newer_and_older_spellings_of_a_configuration_are_the_same_model() {
    let mut newer = configuration("olmo2");
    newer.as_object_mut().unwrap().remove("rope_theta");
    newer["rope_parameters"] = json!({ "rope_type": "default", "rope_theta": 10_000.0 });
    let mut older = configuration("lfm2");
    older.as_object_mut().unwrap().remove("layer_types");
    older["full_attn_idxs"] = json!([1]);
    for (family, config) in [("olmo2", newer), ("lfm2", older)] {
        let same = open(&config, &settings()).unwrap().logits(&prompt(20, 37)).unwrap();
        assert_eq!(same, tiny(family).logits(&prompt(20, 37)).unwrap(), "{family}");
    }
}

#[test]
fn missing_and_misshapen_tensors_are_named() {
    for family in UPSTREAM_FAMILIES {
        let config = configuration(family);
        let all = tensors(family);
        let broken = |change: &dyn Fn(&mut Vec<Named>)| {
            let base = tempfile::tempdir().unwrap();
            let mut tensors = all.clone();
            change(&mut tensors);
            write_tensors(&base.path().join("tiny"), &config, &tensors);
            CandleEngine::open(&settings(), base.path()).unwrap_err().to_string()
        };
        for index in 0..all.len() {
            let text = broken(&|tensors| drop(tensors.remove(index)));
            assert!(text.contains(&all[index].0) && text.contains("missing"), "{family}: {text}");
            let text = broken(&|tensors| tensors[index].1[0] += 2);
            assert!(text.contains("sizes make it"), "{family} {}: {text}", all[index].0);
        }
    }
}

#[test]
fn a_gguf_file_of_such_a_family_is_told_what_runs_instead() {
    let base = tempfile::tempdir().unwrap();
    for (architecture, family) in [("phi3", "phi3"), ("granitehybrid", "granitemoehybrid")] {
        file().with("general.architecture", Metadata::Text(architecture)).write(base.path(), "m.gguf");
        let settings = Settings { model: Stated::Set("m.gguf".to_owned()), ..Settings::default() };
        let text = CandleEngine::open(&settings, base.path()).unwrap_err().to_string();
        assert!(text.contains(&format!("family {family} run from a Hugging Face folder")), "{text}");
    }
}
