//! `config.json` of a Hugging Face checkpoint.

use super::decoder_shape::{Activation, Architecture, LayerShape, number_of_layers};
use super::rope::{Frequencies, Pairing, Rope};
use crate::abilities::UPSTREAM_FAMILIES;
use serde::Deserialize;
use serde_json::Value;

/// The families that the decoder computes.
const FAMILIES: &[&str] = &["llama", "mistral", "qwen2", "qwen3", "smollm3", "gemma3_text"];

/// The sizes and switches under the names of `config.json`.
#[derive(Debug, Clone, Deserialize)]
struct Config {
    model_type: String,
    vocab_size: usize,
    hidden_size: usize,
    intermediate_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    num_key_value_heads: Option<usize>,
    head_dim: Option<usize>,
    rms_norm_eps: f32,
    rope_theta: Option<f64>,
    rope_local_base_freq: Option<f64>,
    max_position_embeddings: usize,
    tie_word_embeddings: Option<bool>,
    attention_bias: Option<bool>,
    mlp_bias: Option<bool>,
    sliding_window: Option<usize>,
    use_sliding_window: Option<bool>,
    sliding_window_pattern: Option<usize>,
    layer_types: Option<Vec<String>>,
    no_rope_layers: Option<Vec<u8>>,
    no_rope_layer_interval: Option<usize>,
    query_pre_attn_scalar: Option<f64>,
    rope_scaling: Option<Scaling>,
    /// The newer place of `rope_theta` and `rope_scaling`: one object, or one for each kind of layer.
    rope_parameters: Option<Value>,
    #[serde(alias = "hidden_activation")]
    hidden_act: Option<String>,
    attn_logit_softcapping: Option<f64>,
    final_logit_softcapping: Option<f64>,
}

#[derive(Debug, Clone, Deserialize)]
struct Scaling {
    #[serde(alias = "type")]
    rope_type: Option<String>,
    rope_theta: Option<f64>,
    factor: Option<f64>,
    low_freq_factor: Option<f64>,
    high_freq_factor: Option<f64>,
    original_max_position_embeddings: Option<f64>,
}

/// Reads `config.json`; the error says what is wrong with it.
pub(in crate::engine::candle) fn parse(text: &str) -> Result<Architecture, String> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    // A model that also sees carries the decoder's sizes in a part of their own.
    if let Some(inner) = value.get("text_config").filter(|inner| inner.is_object()) {
        value = inner.clone();
    }
    let family = value.get("model_type").and_then(Value::as_str).unwrap_or("(none)");
    if !FAMILIES.contains(&family) {
        let known = [FAMILIES, UPSTREAM_FAMILIES].concat().join(", ");
        return Err(format!("`model_type` is `{family}`; these can be run: {known}"));
    }
    let config: Config = serde_json::from_value(value).map_err(|error| error.to_string())?;
    config.refuse_what_is_not_computed()?;
    config.architecture()?.check()
}

impl Config {
    fn gemma(&self) -> bool {
        self.model_type == "gemma3_text"
    }

    fn refuse_what_is_not_computed(&self) -> Result<(), String> {
        let set = |flag: Option<bool>| flag == Some(true);
        let refused = [
            (set(self.attention_bias) && self.model_type != "qwen2", "`attention_bias` is true"),
            (set(self.mlp_bias), "`mlp_bias` is true"),
            (self.attn_logit_softcapping.is_some(), "`attn_logit_softcapping` is set"),
            (self.final_logit_softcapping.is_some(), "`final_logit_softcapping` is set"),
        ];
        match refused.iter().find(|(bad, _)| *bad) {
            Some((_, why)) => Err(format!("{why}, which this decoder does not compute")),
            None => Ok(()),
        }
    }

    fn architecture(&self) -> Result<Architecture, String> {
        let head_dim = match self.head_dim {
            Some(width) => width,
            None => self.hidden_size.checked_div(self.num_attention_heads).unwrap_or(0),
        };
        let gemma = self.gemma();
        let scalar = self.query_pre_attn_scalar.unwrap_or(head_dim as f64);
        Ok(Architecture {
            vocabulary: self.vocab_size,
            hidden: self.hidden_size,
            inner: self.intermediate_size,
            query_heads: self.num_attention_heads,
            kv_heads: self.num_key_value_heads.unwrap_or(self.num_attention_heads),
            head_dim,
            eps: self.rms_norm_eps,
            context: self.max_position_embeddings,
            tied: self.tie_word_embeddings.unwrap_or(gemma),
            qkv_bias: self.model_type == "qwen2",
            head_norms: gemma || self.model_type == "qwen3",
            norms_after: gemma,
            norm_offset: if gemma { 1.0 } else { 0.0 },
            embedding_scale: if gemma { (self.hidden_size as f32).sqrt() } else { 1.0 },
            attention_scale: (1.0 / scalar.sqrt()) as f32,
            activation: self.activation()?,
            pairing: Pairing::Halves,
            ropes: self.ropes()?,
            layers: (0..number_of_layers(self.num_hidden_layers)?).map(|layer| self.layer(layer)).collect(),
        })
    }

    fn activation(&self) -> Result<Activation, String> {
        match self.hidden_act.as_deref() {
            None if self.gemma() => Ok(Activation::GeluTanh),
            None | Some("silu") => Ok(Activation::Silu),
            Some("gelu_pytorch_tanh") => Ok(Activation::GeluTanh),
            Some(other) => Err(format!("`hidden_act` is `{other}`, which this decoder does not compute")),
        }
    }

    fn layer(&self, layer: usize) -> LayerShape {
        let slides = self.slides(layer);
        LayerShape {
            rope: self.has_rope(layer).then_some(usize::from(self.gemma() && slides)),
            window: self.sliding_window.filter(|_| slides),
        }
    }

    fn slides(&self, layer: usize) -> bool {
        if let Some(kinds) = &self.layer_types {
            return kinds.get(layer).is_some_and(|kind| kind == "sliding_attention");
        }
        match self.model_type.as_str() {
            "gemma3_text" => !(layer + 1).is_multiple_of(self.sliding_window_pattern.unwrap_or(6)),
            "mistral" => true,
            _ => self.use_sliding_window == Some(true),
        }
    }

    fn has_rope(&self, layer: usize) -> bool {
        if self.model_type != "smollm3" {
            return true;
        }
        match &self.no_rope_layers {
            Some(flags) => flags.get(layer).is_none_or(|flag| *flag != 0),
            None => !(layer + 1).is_multiple_of(self.no_rope_layer_interval.unwrap_or(4)),
        }
    }

    /// The table of the full layers, and for Gemma a second one for the layers that slide.
    fn ropes(&self) -> Result<Vec<Rope>, String> {
        let whole = match self.parameters("full_attention")?.or_else(|| self.rope_scaling.clone()) {
            Some(scaling) => scaling.rope(self.theta(1_000_000.0))?,
            None => Rope { theta: self.theta(1_000_000.0), frequencies: Frequencies::Plain },
        };
        if !self.gemma() {
            return Ok(vec![whole]);
        }
        let theta = self.rope_local_base_freq.unwrap_or(10_000.0);
        let sliding = match self.parameters("sliding_attention")? {
            Some(scaling) => scaling.rope(theta)?,
            None => Rope { theta, frequencies: Frequencies::Plain },
        };
        Ok(vec![whole, sliding])
    }

    fn theta(&self, gemma: f64) -> f64 {
        self.rope_theta.unwrap_or(if self.gemma() { gemma } else { 10_000.0 })
    }

    fn parameters(&self, kind: &str) -> Result<Option<Scaling>, String> {
        let Some(all) = self.rope_parameters.as_ref().filter(|all| !all.is_null()) else { return Ok(None) };
        let one = all.get(kind).unwrap_or(all);
        serde_json::from_value(one.clone()).map(Some).map_err(|error| format!("`rope_parameters`: {error}"))
    }
}

impl Scaling {
    fn rope(&self, theta: f64) -> Result<Rope, String> {
        let needed = |value: Option<f64>, name: &str| {
            value
                .filter(|value| value.is_finite() && *value > 0.0)
                .ok_or_else(|| format!("`rope_scaling` lacks a positive `{name}`"))
        };
        let frequencies = match self.rope_type.as_deref() {
            None | Some("default") => Frequencies::Plain,
            Some("linear") => Frequencies::Linear(needed(self.factor, "factor")?),
            Some("llama3") => {
                let low = needed(self.low_freq_factor, "low_freq_factor")?;
                let high = needed(self.high_freq_factor, "high_freq_factor")?;
                if high <= low {
                    return Err(
                        "`rope_scaling`: `high_freq_factor` is not above `low_freq_factor`".to_owned()
                    );
                }
                let original =
                    needed(self.original_max_position_embeddings, "original_max_position_embeddings")?;
                Frequencies::Llama3 { factor: needed(self.factor, "factor")?, low, high, original }
            }
            Some(other) => return Err(format!("rope scaling `{other}` is not computed by this decoder")),
        };
        Ok(Rope { theta: self.rope_theta.unwrap_or(theta), frequencies })
    }
}
