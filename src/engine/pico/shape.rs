//! The shape of the embedded model.

use serde_json::{Value, json};

/// Sizes of a Qwen3 decoder. All matrix widths are multiples of 256, so that the k-quants stay possible.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Tokens in the vocabulary.
    pub vocabulary: usize,
    /// Width of the residual stream.
    pub hidden: usize,
    /// Width inside the feed-forward part.
    pub intermediate: usize,
    /// Decoder layers.
    pub layers: usize,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads.
    pub kv_heads: usize,
    /// Width of one head.
    pub head_dim: usize,
    /// Base of the rotary position frequencies.
    pub rope_theta: f64,
    /// Added to the mean square in every RMS norm.
    pub norm_eps: f64,
    /// Longest context that `config.json` promises.
    pub context: usize,
}

impl Shape {
    /// The shipped model: 2.5 million parameters.
    pub const PICO: Self = Self {
        vocabulary: 512,
        hidden: 256,
        intermediate: 512,
        layers: 4,
        heads: 4,
        kv_heads: 2,
        head_dim: 64,
        rope_theta: 1e4,
        norm_eps: 1e-6,
        context: 8192,
    };

    /// `config.json` in the Hugging Face form.
    pub fn config_json(&self, end_of_turn: u32, end_of_text: u32) -> Value {
        json!({
            "architectures": ["Qwen3ForCausalLM"],
            "attention_bias": false,
            "attention_dropout": 0.0,
            "bos_token_id": end_of_text,
            "eos_token_id": end_of_turn,
            "pad_token_id": end_of_text,
            "head_dim": self.head_dim,
            "hidden_act": "silu",
            "hidden_size": self.hidden,
            "initializer_range": 0.02,
            "intermediate_size": self.intermediate,
            "max_position_embeddings": self.context,
            "max_window_layers": self.layers,
            "model_type": "qwen3",
            "num_attention_heads": self.heads,
            "num_hidden_layers": self.layers,
            "num_key_value_heads": self.kv_heads,
            "rms_norm_eps": self.norm_eps,
            "rope_scaling": null,
            "rope_theta": self.rope_theta,
            "sliding_window": null,
            "tie_word_embeddings": true,
            "torch_dtype": "bfloat16",
            "use_cache": true,
            "use_sliding_window": false,
            "vocab_size": self.vocabulary,
        })
    }
}
