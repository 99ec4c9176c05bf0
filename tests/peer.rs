//! The same model in candle-transformers' own decoders, to compare with: answers in the tests, speed in the bench.

use candle_core::quantized::gguf_file::{self, Content, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{D, DType, Device, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::{quantized_qwen3, qwen3};
use planrun::engine::pico::assets;
use std::collections::HashMap;
use std::io::Cursor;

/// A decoder of candle-transformers.
pub(crate) enum Peer {
    /// `models::qwen3`.
    Float(Box<qwen3::ModelForCausalLM>),
    /// `models::quantized_qwen3`.
    Quantized(Box<quantized_qwen3::ModelWeights>),
}

impl Peer {
    /// The float decoder on pico's weights.
    pub(crate) fn float(dtype: DType) -> Result<Self> {
        let weights = VarBuilder::from_slice_safetensors(assets().weights, dtype, &Device::Cpu)?;
        Ok(Self::Float(Box::new(qwen3::ModelForCausalLM::new(&config()?, weights)?)))
    }

    /// The block-quantized decoder on pico's weights: every matrix in `dtype`, the tied head in `head`.
    pub(crate) fn quantized(dtype: GgmlDType, head: GgmlDType) -> Result<Self> {
        let mut file = Cursor::new(gguf(dtype, head)?);
        let content = Content::read(&mut file)?;
        let model = quantized_qwen3::ModelWeights::from_gguf(content, &mut file, &Device::Cpu)?;
        Ok(Self::Quantized(Box::new(model)))
    }

    /// Forgets what was read.
    pub(crate) fn clear(&mut self) {
        match self {
            Self::Float(model) => model.clear_kv_cache(),
            Self::Quantized(model) => model.clear_kv_cache(),
        }
    }

    /// Logits after `tokens`, which stand at `offset`.
    pub(crate) fn forward(&mut self, tokens: &[u32], offset: usize) -> Result<Tensor> {
        let tokens = Tensor::new(tokens, &Device::Cpu)?.unsqueeze(0)?;
        match self {
            Self::Float(model) => model.forward(&tokens, offset)?.squeeze(0)?.squeeze(0),
            Self::Quantized(model) => model.forward(&tokens, offset)?.squeeze(0),
        }
    }

    /// The likeliest token after `tokens`.
    pub(crate) fn next(&mut self, tokens: &[u32], offset: usize) -> Result<u32> {
        self.forward(tokens, offset)?.argmax(D::Minus1)?.to_scalar()
    }
}

fn config() -> Result<qwen3::Config> {
    serde_json::from_str(assets().config).map_err(candle_core::Error::wrap)
}

/// Names of a layer's tensors in GGUF and in a Hugging Face checkpoint.
const LAYER: [(&str, &str); 11] = [
    ("attn_q", "self_attn.q_proj"),
    ("attn_k", "self_attn.k_proj"),
    ("attn_v", "self_attn.v_proj"),
    ("attn_output", "self_attn.o_proj"),
    ("attn_q_norm", "self_attn.q_norm"),
    ("attn_k_norm", "self_attn.k_norm"),
    ("attn_norm", "input_layernorm"),
    ("ffn_norm", "post_attention_layernorm"),
    ("ffn_gate", "mlp.gate_proj"),
    ("ffn_up", "mlp.up_proj"),
    ("ffn_down", "mlp.down_proj"),
];

/// Pico as a GGUF file in memory.
fn gguf(dtype: GgmlDType, head: GgmlDType) -> Result<Vec<u8>> {
    let config = config()?;
    let stored = candle_core::safetensors::load_buffer(assets().weights, &Device::Cpu)?;
    let mut tensors = vec![
        ("token_embd.weight".to_owned(), quantize(&stored, "model.embed_tokens.weight", head)?),
        ("output_norm.weight".to_owned(), quantize(&stored, "model.norm.weight", dtype)?),
    ];
    for layer in 0..config.num_hidden_layers {
        for (to, from) in LAYER {
            let from = format!("model.layers.{layer}.{from}.weight");
            tensors.push((format!("blk.{layer}.{to}.weight"), quantize(&stored, &from, dtype)?));
        }
    }
    let number = |value: usize| Value::U32(value as u32);
    let metadata = [
        ("general.dtype", Value::U32(0)),
        ("qwen3.attention.head_count", number(config.num_attention_heads)),
        ("qwen3.attention.head_count_kv", number(config.num_key_value_heads)),
        ("qwen3.attention.key_length", number(config.head_dim)),
        ("qwen3.block_count", number(config.num_hidden_layers)),
        ("qwen3.embedding_length", number(config.hidden_size)),
        ("qwen3.context_length", number(config.max_position_embeddings)),
        ("qwen3.attention.layer_norm_rms_epsilon", Value::F32(config.rms_norm_eps as f32)),
        ("qwen3.rope.freq_base", Value::F32(config.rope_theta as f32)),
    ];
    let mut file = Cursor::new(Vec::new());
    let metadata: Vec<_> = metadata.iter().map(|(name, value)| (*name, value)).collect();
    let tensors: Vec<_> = tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
    gguf_file::write(&mut file, &metadata, &tensors)?;
    Ok(file.into_inner())
}

/// Norms stay `f32`.
fn quantize(stored: &HashMap<String, Tensor>, name: &str, dtype: GgmlDType) -> Result<QTensor> {
    let tensor = stored[name].to_dtype(DType::F32)?;
    let dtype = if tensor.rank() == 1 { GgmlDType::F32 } else { dtype };
    QTensor::quantize(&tensor, dtype)
}
