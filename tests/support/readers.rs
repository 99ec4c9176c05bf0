//! Everything that is read from strangers, each as a function of any bytes: they are read, and what came of them is used.
//! An error is fine, a panic is not. The fuzz targets of `tests/fuzz` and the tests of the ordinary suite share these.

use planrun::compare::explain;
use planrun::condition::{Settings, Stated};
use planrun::engine::gguf::Gguf;
use planrun::engine::pico::assets;
use planrun::engine::{CandleEngine, ChatTemplate, Engine, Vocabulary, model_facts};
use planrun::generation::{Prompt, Request, Sampling};
use planrun::hub_cache::HubName;
use planrun::plan::prepare_text;
use planrun::record::{load, to_compact};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const GREEDY: Sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };

/// A reader, and what it is called.
pub(crate) type Reader = (&'static str, fn(&[u8]));

/// All of them.
pub(crate) const READERS: &[Reader] = &[
    ("gguf", gguf),
    ("safetensors", safetensors),
    ("shard_index", shard_index),
    ("config", config),
    ("tokenizer", tokenizer),
    ("tokenizer_config", tokenizer_config),
    ("template", template),
    ("plan", plan),
    ("record", record),
    ("hub_name", hub_name),
];

/// A llama with one layer of 16 and 32 tokens.
pub(crate) const CONFIG: &str = r#"{"model_type": "llama", "vocab_size": 32, "hidden_size": 16, "intermediate_size": 32,
 "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8, "rms_norm_eps": 1e-5,
 "rope_theta": 10000.0, "max_position_embeddings": 64, "tie_word_embeddings": true, "eos_token_id": 2}"#;

/// Header and weights that fit [`CONFIG`].
pub(crate) fn weights() -> Vec<u8> {
    let tensors: [(&str, &[usize]); 11] = [
        ("embed_tokens", &[32, 16]),
        ("norm", &[16]),
        ("layers.0.input_layernorm", &[16]),
        ("layers.0.self_attn.q_proj", &[16, 16]),
        ("layers.0.self_attn.k_proj", &[8, 16]),
        ("layers.0.self_attn.v_proj", &[8, 16]),
        ("layers.0.self_attn.o_proj", &[16, 16]),
        ("layers.0.post_attention_layernorm", &[16]),
        ("layers.0.mlp.gate_proj", &[32, 16]),
        ("layers.0.mlp.up_proj", &[32, 16]),
        ("layers.0.mlp.down_proj", &[16, 32]),
    ];
    let (mut header, mut data) = (Vec::new(), Vec::new());
    for (name, shape) in tensors {
        let start = data.len();
        let numbers = (0..shape.iter().product()).map(|at: usize| 0x3c00_u16 + (at * 37 % 101) as u16);
        data.extend(numbers.flat_map(u16::to_le_bytes));
        let end = data.len();
        header.push(format!(
            r#""model.{name}.weight":{{"dtype":"BF16","shape":{shape:?},"data_offsets":[{start},{end}]}}"#
        ));
    }
    let header = format!("{{{}}}", header.join(","));
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat()
}

/// A GGUF file, its metadata, tensors and tokenizer.
pub(crate) fn gguf(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    fs::write(&path, bytes).unwrap();
    if let Ok(gguf) = Gguf::open(&path) {
        let held: usize = gguf.tensors().map(|tensor| tensor.bytes().len()).sum();
        assert!(held <= bytes.len());
        let _ = (gguf.architecture(), gguf.file_type(), gguf.bits_per_weight(), gguf.dominant_format());
        if let Ok(vocabulary) = Vocabulary::from_gguf(&gguf, 300) {
            use_vocabulary(&vocabulary);
        }
    }
    open(folder.path(), "model.gguf");
}

/// `model.safetensors`.
pub(crate) fn safetensors(bytes: &[u8]) {
    with_file("model.safetensors", bytes);
}

/// `model.safetensors.index.json`, beside one file of weights.
pub(crate) fn shard_index(bytes: &[u8]) {
    let folder = folder();
    let model = folder.path().join("tiny");
    fs::rename(model.join("model.safetensors"), model.join("a.safetensors")).unwrap();
    fs::write(model.join("model.safetensors.index.json"), bytes).unwrap();
    open(folder.path(), "tiny");
}

/// `config.json`.
pub(crate) fn config(bytes: &[u8]) {
    with_file("config.json", bytes);
}

/// `tokenizer.json`.
pub(crate) fn tokenizer(bytes: &[u8]) {
    if let Ok(vocabulary) = Vocabulary::read(bytes, PathBuf::from("tokenizer.json"), vec![2], 32) {
        use_vocabulary(&vocabulary);
    }
}

/// `tokenizer_config.json`.
pub(crate) fn tokenizer_config(bytes: &[u8]) {
    with_file("tokenizer_config.json", bytes);
}

/// A chat template.
pub(crate) fn template(bytes: &[u8]) {
    let source = String::from_utf8_lossy(bytes);
    let tokens = BTreeMap::from([("bos_token".to_owned(), "<s>".to_owned())]);
    if let Ok(template) = ChatTemplate::compile(&source, tokens) {
        let messages =
            serde_json::json!([{"role": "system", "content": "Be."}, {"role": "user", "content": "Hello"}]);
        let _ = template.render(&serde_json::json!({ "messages": messages, "add_generation_prompt": true }));
    }
}

/// A plan.
pub(crate) fn plan(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Err(errors) = prepare_text(Path::new("fuzz.toml"), &text, &[], &model_facts) {
        assert!(!errors.errors.is_empty() && !errors.to_string().is_empty());
    }
}

/// A record, alone and in a compact file.
pub(crate) fn record(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    for name in ["record.json", "records.jsonl"] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let Ok(records) = load(&path) else { continue };
        let _ = to_compact(&records);
        if let Some(record) = records.first() {
            let _ = explain(record, record, &[], true);
        }
    }
}

/// The name of a model of the hub.
pub(crate) fn hub_name(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(Ok(name)) = HubName::parse(&text) {
        assert_eq!(HubName::parse(&name.to_string()), Some(Ok(name.clone())));
        let path = Path::new(&name.repository).join(name.revision()).join(name.file.unwrap_or_default());
        assert!(path.components().all(|part| matches!(part, std::path::Component::Normal(_))), "{text}");
    }
}

fn with_file(name: &str, bytes: &[u8]) {
    let folder = folder();
    fs::write(folder.path().join("tiny").join(name), bytes).unwrap();
    open(folder.path(), "tiny");
}

/// A folder with the right checkpoint `tiny`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("tiny");
    fs::create_dir(&model).unwrap();
    fs::write(model.join("config.json"), CONFIG).unwrap();
    fs::write(model.join("model.safetensors"), weights()).unwrap();
    fs::write(model.join("tokenizer.json"), assets().tokenizer).unwrap();
    fs::write(model.join("tokenizer_config.json"), assets().tokenizer_config).unwrap();
    folder
}

/// Opens a model, and asks it for two tokens.
fn open(base: &Path, model: &str) {
    let settings = Settings { model: Stated::Set(model.to_owned()), ..Settings::default() };
    match CandleEngine::open(&settings, base) {
        Ok(mut engine) => {
            let prompt = Prompt { text: String::new(), ids: Some(vec![1, 2, 3]), chat: None };
            let request = Request { prompt, max_tokens: 2, ignore_eos: true, sampling: GREEDY };
            let _ = engine.generate(&request);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn use_vocabulary(vocabulary: &Vocabulary) {
    let ids = vocabulary.encode("Hello <think>world</think> 123 äöü 👍\n\n");
    let _ = ids.map(|ids| vocabulary.decode(&ids));
    let _ = vocabulary.decode(&[0, 1, 31, u32::MAX]);
    let _ = (vocabulary.ends(), vocabulary.adds_bos());
}
