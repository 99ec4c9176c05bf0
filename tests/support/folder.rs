//! A tiny checkpoint in the Hugging Face layout, right or wrong on purpose.

use super::allocation::largest_request;
use planrun::condition::{Settings, Stated};
use planrun::engine::pico::assets;
use planrun::engine::{CandleEngine, Engine, EngineError};
use planrun::generation::{Prompt, Request, Sampling};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// More than opening the right checkpoint asks for at once, and far less than any hostile number would.
pub(crate) const MOST_BYTES: usize = 16 << 20;
pub(crate) const WEIGHTS: &str = "model.safetensors";
const VOCABULARY: usize = 512;
const GREEDY: Sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };

/// The folder `tiny`, on a desk of its own.
pub(crate) struct Folder {
    base: TempDir,
}

impl Folder {
    /// A checkpoint that answers.
    pub(crate) fn new() -> Self {
        let folder = Self { base: tempfile::tempdir().unwrap() };
        fs::create_dir(folder.base.path().join("tiny")).unwrap();
        folder.write("config.json", config().to_string());
        folder.write("tokenizer.json", assets().tokenizer);
        folder.write("tokenizer_config.json", assets().tokenizer_config);
        folder.write(WEIGHTS, weights());
        folder
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.base.path().join("tiny").join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.at(name), content).unwrap();
    }

    /// The folder with this file instead.
    pub(crate) fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let folder = Self::new();
        folder.write(name, content);
        folder
    }

    /// Opens the model, and asks it where it opens. Neither may ask for much memory at once.
    pub(crate) fn open(&self) -> Result<CandleEngine, EngineError> {
        let settings = Settings { model: Stated::Set("tiny".to_owned()), ..Settings::default() };
        let (engine, largest) = largest_request(|| {
            let mut engine = CandleEngine::open(&settings, self.base.path())?;
            // Whether it can answer is not what opening promises.
            let _ = ask(&mut engine);
            Ok(engine)
        });
        assert!(largest < MOST_BYTES, "{largest} bytes were asked for at once");
        engine
    }

    /// The error that names one of the files and a remedy.
    pub(crate) fn refusal(&self) -> String {
        let error = self.open().expect_err("it was not refused");
        let whole = matches!(
            &error,
            EngineError::Unusable { problem, remedy, .. } | EngineError::NotFound { problem, remedy, .. }
            if !problem.is_empty() && !remedy.is_empty()
        );
        assert!(whole, "{error:?}");
        error.to_string()
    }
}

/// Two tokens of a reply.
pub(crate) fn ask(engine: &mut CandleEngine) -> Result<String, EngineError> {
    let ids = engine.tokenize("one two")?;
    let prompt = Prompt { text: "one two".to_owned(), ids: Some(ids), chat: None };
    let request = Request { prompt, max_tokens: 2, ignore_eos: true, sampling: GREEDY };
    engine.generate(&request).map(|generation| generation.text)
}

/// A llama with one layer of 16.
pub(crate) fn config() -> Value {
    json!({
        "model_type": "llama", "vocab_size": VOCABULARY, "hidden_size": 16, "intermediate_size": 32,
        "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8, "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0, "max_position_embeddings": 64, "tie_word_embeddings": true, "eos_token_id": 505,
    })
}

/// Name and shape of every tensor.
pub(crate) fn tensors() -> Vec<(String, Vec<usize>)> {
    let layer = [
        ("input_layernorm", vec![16]),
        ("self_attn.q_proj", vec![16, 16]),
        ("self_attn.k_proj", vec![8, 16]),
        ("self_attn.v_proj", vec![8, 16]),
        ("self_attn.o_proj", vec![16, 16]),
        ("post_attention_layernorm", vec![16]),
        ("mlp.gate_proj", vec![32, 16]),
        ("mlp.up_proj", vec![32, 16]),
        ("mlp.down_proj", vec![16, 32]),
    ];
    let outside = [("embed_tokens", vec![VOCABULARY, 16]), ("norm", vec![16])];
    let outside = outside.map(|(name, shape)| (format!("model.{name}.weight"), shape));
    let layer = layer.map(|(name, shape)| (format!("model.layers.0.{name}.weight"), shape));
    outside.into_iter().chain(layer).collect()
}

/// Header and data of these tensors in bf16; every number is one of a few small ones.
pub(crate) fn parts(tensors: &[(String, Vec<usize>)]) -> (Map<String, Value>, Vec<u8>) {
    let (mut header, mut data) = (Map::new(), Vec::new());
    for (name, shape) in tensors {
        let start = data.len();
        let numbers = (0..shape.iter().product()).map(|at: usize| 0x3c00_u16 + (at * 37 % 101) as u16);
        data.extend(numbers.flat_map(u16::to_le_bytes));
        header.insert(
            name.clone(),
            json!({ "dtype": "BF16", "shape": shape, "data_offsets": [start, data.len()] }),
        );
    }
    (header, data)
}

/// A file of a header and data.
pub(crate) fn safetensors(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

/// The file of the right checkpoint.
pub(crate) fn weights() -> Vec<u8> {
    let (header, data) = parts(&tensors());
    safetensors(&Value::Object(header).to_string(), &data)
}
