//! `config.json` of a Qwen3 checkpoint.

use serde::Deserialize;

/// The sizes of a Qwen3 decoder, under the names of `config.json`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ModelConfig {
    /// Tokens in the embedding table.
    pub(super) vocab_size: usize,
    /// Width of the residual stream.
    pub(super) hidden_size: usize,
    /// Width inside the feed-forward part.
    pub(super) intermediate_size: usize,
    /// Decoder layers.
    pub(super) num_hidden_layers: usize,
    /// Query heads.
    pub(super) num_attention_heads: usize,
    /// Key and value heads; each serves a group of query heads.
    pub(super) num_key_value_heads: usize,
    /// Width of a head.
    pub(super) head_dim: usize,
    /// Added to the mean square in every norm.
    pub(super) rms_norm_eps: f32,
    /// Base of the rotary frequencies.
    #[serde(default = "default_theta")]
    pub(super) rope_theta: f64,
    /// Longest context the model was made for.
    pub(super) max_position_embeddings: usize,
    /// The output head is the embedding table.
    #[serde(default)]
    pub(super) tie_word_embeddings: bool,
    #[serde(default)]
    attention_bias: bool,
    #[serde(default)]
    use_sliding_window: bool,
    #[serde(default)]
    rope_scaling: Option<serde_json::Value>,
    #[serde(default)]
    hidden_act: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(u32),
    Many(Vec<u32>),
}

fn default_theta() -> f64 {
    10_000.0
}

impl ModelConfig {
    /// Reads `config.json`; the error says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let kind: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let family = kind.get("model_type").and_then(serde_json::Value::as_str).unwrap_or("(none)");
        if family != "qwen3" {
            return Err(format!("`model_type` is `{family}`, and only `qwen3` can be run so far"));
        }
        let config: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        config.check()?;
        Ok(config)
    }

    /// Tokens that end a turn, as `config.json` or `generation_config.json` names them.
    pub(super) fn eos_ids(text: &str) -> Vec<u32> {
        #[derive(Deserialize)]
        struct Ends {
            eos_token_id: Option<OneOrMany>,
        }
        match serde_json::from_str::<Ends>(text).ok().and_then(|ends| ends.eos_token_id) {
            Some(OneOrMany::One(id)) => vec![id],
            Some(OneOrMany::Many(ids)) => ids,
            None => Vec::new(),
        }
    }

    /// Width of all query heads together.
    pub(super) fn query_width(&self) -> usize {
        self.num_attention_heads * self.head_dim
    }

    /// Width of all key (or value) heads together.
    pub(super) fn kv_width(&self) -> usize {
        self.num_key_value_heads * self.head_dim
    }

    fn check(&self) -> Result<(), String> {
        let refused = [
            (self.attention_bias, "`attention_bias` is true"),
            (self.use_sliding_window, "`use_sliding_window` is true"),
            (self.rope_scaling.as_ref().is_some_and(|s| !s.is_null()), "`rope_scaling` is set"),
            (self.hidden_act.as_deref().is_some_and(|act| act != "silu"), "`hidden_act` is not `silu`"),
            (!self.head_dim.is_multiple_of(2), "`head_dim` is odd"),
            (
                self.num_key_value_heads == 0
                    || !self.num_attention_heads.is_multiple_of(self.num_key_value_heads),
                "`num_attention_heads` is no multiple of `num_key_value_heads`",
            ),
        ];
        match refused.iter().find(|(bad, _)| *bad) {
            Some((_, why)) => Err(format!("{why}, which this decoder does not compute")),
            None => Ok(()),
        }
    }
}
