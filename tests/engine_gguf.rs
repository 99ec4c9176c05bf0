//! The embedded model written as a GGUF file: everything must come out as from the same weights in a folder.

use crate::support::gguf::{GgufFile, Value, file};
use candle_core::quantized::{GgmlDType, QTensor};
use planrun::condition::{Settings, Stated};
use planrun::engine::pico::assets;
use planrun::engine::{CandleEngine, Engine, EngineError};
use planrun::generation::{Message, Role};
use safetensors::SafeTensors;
use tempfile::TempDir;

const TEXTS: u32 = 8;
const INTEGERS: u32 = 5;
/// Numbers of ggml's types and token kinds.
const BF16: u32 = 30;
const NORMAL: i32 = 1;
const CONTROL: i32 = 3;

fn text(text: &serde_json::Value) -> &'static str {
    text.as_str().unwrap().to_owned().leak()
}

fn gguf_name(name: &str) -> String {
    let pairs = [
        ("model.embed_tokens", "token_embd"),
        ("model.norm", "output_norm"),
        ("model.layers.", "blk."),
        ("self_attn.q_proj", "attn_q"),
        ("self_attn.k_proj", "attn_k"),
        ("self_attn.v_proj", "attn_v"),
        ("self_attn.o_proj", "attn_output"),
        ("self_attn.q_norm", "attn_q_norm"),
        ("self_attn.k_norm", "attn_k_norm"),
        ("input_layernorm", "attn_norm"),
        ("post_attention_layernorm", "ffn_norm"),
        ("mlp.gate_proj", "ffn_gate"),
        ("mlp.up_proj", "ffn_up"),
        ("mlp.down_proj", "ffn_down"),
    ];
    pairs.iter().fold(name.to_owned(), |name, (from, to)| name.replace(from, to))
}

fn with_tokenizer(file: GgufFile) -> GgufFile {
    let tokenizer: serde_json::Value = serde_json::from_str(assets().tokenizer).unwrap();
    let config: serde_json::Value = serde_json::from_str(assets().tokenizer_config).unwrap();
    let mut tokens = vec![("", NORMAL); 512];
    for (token, id) in tokenizer["model"]["vocab"].as_object().unwrap() {
        tokens[id.as_u64().unwrap() as usize] = (token.clone().leak(), NORMAL);
    }
    for added in tokenizer["added_tokens"].as_array().unwrap() {
        tokens[added["id"].as_u64().unwrap() as usize] = (text(&added["content"]), CONTROL);
    }
    let merge =
        |pair: &serde_json::Value| Value::Text(format!("{} {}", text(&pair[0]), text(&pair[1])).leak());
    let merges = tokenizer["model"]["merges"].as_array().unwrap().iter().map(merge).collect();
    file.with("tokenizer.ggml.model", Value::Text("gpt2"))
        .with("tokenizer.ggml.pre", Value::Text("qwen2"))
        .with(
            "tokenizer.ggml.tokens",
            Value::Array(TEXTS, tokens.iter().map(|(token, _)| Value::Text(token)).collect()),
        )
        .with(
            "tokenizer.ggml.token_type",
            Value::Array(INTEGERS, tokens.iter().map(|(_, kind)| Value::I32(*kind)).collect()),
        )
        .with("tokenizer.ggml.merges", Value::Array(TEXTS, merges))
        .with("tokenizer.ggml.eos_token_id", Value::U32(505))
        .with("tokenizer.chat_template", Value::Text(text(&config["chat_template"])))
}

pub(crate) fn pico_as_gguf() -> GgufFile {
    let sizes = [
        ("block_count", 4),
        ("context_length", 8192),
        ("embedding_length", 256),
        ("feed_forward_length", 512),
        ("attention.head_count", 4),
        ("attention.head_count_kv", 2),
        ("attention.key_length", 64),
    ];
    let mut model = file()
        .with("general.architecture", Value::Text("qwen3"))
        .with("general.name", Value::Text("pico"))
        .with("qwen3.attention.layer_norm_rms_epsilon", Value::F32(1e-6))
        .with("qwen3.rope.freq_base", Value::F32(10_000.0));
    for (key, size) in sizes {
        model = model.with(&format!("qwen3.{key}"), Value::U32(size));
    }
    model = with_tokenizer(model);
    for (name, view) in SafeTensors::deserialize(assets().weights).unwrap().tensors() {
        assert_eq!(view.dtype(), safetensors::Dtype::BF16);
        let shape: Vec<u64> = view.shape().iter().rev().map(|side| *side as u64).collect();
        model = model.tensor(&gguf_name(&name), &shape, BF16, view.data().to_vec());
    }
    model
}

fn open(model: &GgufFile, quantization: Stated<String>) -> Result<CandleEngine, EngineError> {
    let folder: TempDir = tempfile::tempdir().unwrap();
    model.write(folder.path(), "pico.gguf");
    let settings =
        Settings { model: Stated::Set("pico.gguf".to_owned()), quantization, ..Settings::default() };
    CandleEngine::open(&settings, folder.path())
}

fn embedded(quantization: &str) -> CandleEngine {
    let settings = Settings {
        model: Stated::Set("pico".to_owned()),
        quantization: Stated::Set(quantization.to_owned()),
        ..Settings::default()
    };
    CandleEngine::open(&settings, std::path::Path::new(".")).unwrap()
}

fn question() -> [Message; 1] {
    [Message {
        role: Role::User,
        content: "How many times does the letter e occur in cheese? 12 + 30 = Zürich".to_owned(),
    }]
}

#[test]
fn a_gguf_file_renders_tokenizes_and_computes_as_the_folder_does() {
    for scheme in ["f32", "q8_0", "q4_k"] {
        let mut gguf = open(&pico_as_gguf(), Stated::Set(scheme.to_owned())).unwrap();
        let mut folder = embedded(scheme);
        for thinking in [Stated::Unset, Stated::Set(true), Stated::Set(false)] {
            let prompt = gguf.render(&question(), thinking).unwrap();
            assert_eq!(prompt, folder.render(&question(), thinking).unwrap());
            let ids = prompt.ids.unwrap();
            assert_eq!(gguf.logits(&ids).unwrap(), folder.logits(&ids).unwrap(), "{scheme}");
        }
    }
}

#[test]
fn without_a_scheme_the_weights_stay_as_they_are_stored() {
    let engine = open(&pico_as_gguf(), Stated::Unset).unwrap();
    let found = engine.observed();
    assert_eq!(found.quantization, Stated::Set("bf16".to_owned()));
    assert_eq!(found.file_format, Stated::Set("gguf".to_owned()));
    assert_eq!(found.source, Stated::Set("gguf:pico".to_owned()));
    assert!(engine.has_thinking_switch());
}

/// Every matrix as blocks of 8 bits; ggml's number of that type is 8.
fn in_q8_0(mut model: GgufFile) -> GgufFile {
    for tensor in model.tensors.iter_mut().filter(|tensor| tensor.shape.len() == 2) {
        let values: Vec<f32> = tensor
            .bytes
            .chunks_exact(2)
            .map(|two| half::bf16::from_le_bytes([two[0], two[1]]).to_f32())
            .collect();
        let shape = (tensor.shape[1] as usize, tensor.shape[0] as usize);
        let wide = candle_core::Tensor::from_vec(values, shape, &candle_core::Device::Cpu).unwrap();
        let blocks = QTensor::quantize(&wide, GgmlDType::Q8_0).unwrap();
        (tensor.format, tensor.bytes) = (8, blocks.data().unwrap().into_owned());
    }
    model
}

#[test]
fn blocks_are_used_as_they_are_stored_and_requantizing_them_is_called_so() {
    let model = in_q8_0(pico_as_gguf());
    let mut stored = open(&model, Stated::Unset).unwrap();
    assert_eq!(stored.observed().quantization, Stated::Set("q8_0".to_owned()));
    let ids: Vec<u32> = (0..50).map(|at| 20 + at * 37 % 400).collect();
    assert_eq!(stored.logits(&ids).unwrap(), embedded("q8_0").logits(&ids).unwrap());
    let found = |scheme: &str| {
        let engine = open(&model, Stated::Set(scheme.to_owned())).unwrap();
        engine.observed().quantization.get().cloned().unwrap()
    };
    assert_eq!(found("q8_0"), "q8_0");
    assert_eq!(found("q4_0"), "q4_0 requantized from q8_0");
    assert_eq!(found("f32"), "f32 requantized from q8_0");
}

#[test]
fn a_base_model_is_given_the_text_alone_and_has_no_switch() {
    let mut model = pico_as_gguf();
    model.entries.retain(|(key, _)| key != b"tokenizer.chat_template");
    let engine = open(&model, Stated::Unset).unwrap();
    assert_eq!(engine.render(&question(), Stated::Unset).unwrap().text, question()[0].content);
    assert!(!engine.has_thinking_switch());
    assert_eq!(engine.observed().chat_template, Stated::Unset);
}

#[test]
fn what_a_file_lacks_or_no_decoder_computes_is_refused_by_name() {
    let refused = |model: GgufFile, words: &[&str]| {
        let error = open(&model, Stated::Unset).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    };
    refused(
        pico_as_gguf().instead("general.architecture", Value::Text("mamba")),
        &["mamba", "qwen3", "pico.gguf"],
    );
    let mut model = pico_as_gguf();
    model.tensors.retain(|tensor| tensor.name != b"blk.2.ffn_up.weight");
    refused(model, &["blk.2.ffn_up.weight", "missing"]);
    refused(
        pico_as_gguf().instead("qwen3.feed_forward_length", Value::U32(768)),
        &["blk.0.ffn_gate.weight", "768"],
    );
    refused(pico_as_gguf().with("qwen3.rope.scaling.type", Value::Text("yarn")), &["yarn"]);
    refused(pico_as_gguf().with("qwen3.expert_count", Value::U32(8)), &["mixture of experts"]);
    refused(pico_as_gguf().instead("qwen3.attention.head_count", Value::U32(0)), &["head"]);
}
