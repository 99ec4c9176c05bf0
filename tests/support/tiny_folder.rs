//! The tiny checkpoints as Hugging Face folders.

use super::tiny::{EPS, LLAMA3, Stretch, Tiny, Weights};
use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Names in a GGUF file and in a folder. With norms before and after each half of a layer, the name of the norm after
/// attention is the one that else means the norm before the feed-forward part.
const NAMES: &[(&str, &str)] = &[
    ("token_embd", "model.embed_tokens"),
    ("output_norm", "model.norm"),
    ("blk.", "model.layers."),
    ("attn_q_norm", "self_attn.q_norm"),
    ("attn_k_norm", "self_attn.k_norm"),
    ("post_attention_norm", "post_attention_layernorm"),
    ("post_ffw_norm", "post_feedforward_layernorm"),
    ("attn_norm", "input_layernorm"),
    ("attn_output", "self_attn.o_proj"),
    ("attn_q", "self_attn.q_proj"),
    ("attn_k", "self_attn.k_proj"),
    ("attn_v", "self_attn.v_proj"),
    ("ffn_gate", "mlp.gate_proj"),
    ("ffn_up", "mlp.up_proj"),
    ("ffn_down", "mlp.down_proj"),
];

impl Tiny {
    /// Writes `config.json`, the tokenizer's files and `model.safetensors` into a new folder.
    pub(crate) fn write_folder(&self, folder: &Path) {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("config.json"), self.config().to_string()).unwrap();
        fs::write(folder.join("tokenizer.json"), Self::tokenizer_json().to_string()).unwrap();
        fs::write(folder.join("tokenizer_config.json"), "{}").unwrap();
        let stored: Vec<Stored> =
            self.weights().into_iter().filter_map(|weights| self.stored(weights)).collect();
        let views = stored.iter().map(|(name, shape, bytes)| {
            (name.as_str(), TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap())
        });
        fs::write(folder.join("model.safetensors"), safetensors::serialize(views, None).unwrap()).unwrap();
    }

    fn config(&self) -> Value {
        let family = if self.is_gemma() { "gemma3_text" } else { self.family };
        let mut config = json!({
            "model_type": family, "vocab_size": Self::vocabulary().len(), "hidden_size": self.hidden,
            "intermediate_size": self.inner, "num_hidden_layers": self.layers,
            "num_attention_heads": self.query_heads, "num_key_value_heads": self.kv_heads,
            "head_dim": self.head_dim, "rms_norm_eps": EPS, "rope_theta": self.theta,
            "max_position_embeddings": 2048, "tie_word_embeddings": self.tied,
            "query_pre_attn_scalar": self.head_dim, "rope_local_base_freq": 10_000.0,
            "sliding_window": self.window,
        });
        let [factor, low, high, original] = LLAMA3;
        config["rope_scaling"] = match self.stretch {
            Stretch::None => Value::Null,
            Stretch::Linear(factor) => json!({ "rope_type": "linear", "factor": factor }),
            Stretch::Llama3 => json!({
                "rope_type": "llama3", "factor": factor, "low_freq_factor": low, "high_freq_factor": high,
                "original_max_position_embeddings": original,
            }),
        };
        config
    }

    fn tokenizer_json() -> Value {
        let ids: serde_json::Map<String, Value> = Self::vocabulary()
            .into_iter()
            .zip(0..)
            .map(|(token, id): (String, u32)| (token, id.into()))
            .collect();
        json!({ "version": "1.0", "added_tokens": [], "model": { "type": "BPE", "vocab": ids, "merges": [] } })
    }

    /// A tensor as a folder holds it; `None` if `config.json` says it instead.
    fn stored(&self, weights: Weights) -> Option<Stored> {
        let Weights { name, rows, columns, mut values } = weights;
        match name.as_str() {
            "rope_freqs.weight" => return None,
            "output.weight" => {
                return Some(("lm_head.weight".to_owned(), vec![rows?, columns], bytes(&values)));
            }
            _ => {}
        }
        if self.is_gemma() && rows.is_none() {
            for weight in &mut values {
                *weight -= 1.0;
            }
        }
        let turned = name.contains("attn_q.") || name.contains("attn_k.");
        if turned && matches!(self.family, "llama" | "smollm3") {
            values = in_halves(&values, columns, self.head_dim);
        }
        let before = if self.is_gemma() { "pre_feedforward_layernorm" } else { "post_attention_layernorm" };
        let pairs = NAMES.iter().copied().chain([("ffn_norm", before)]);
        let name = pairs.fold(name, |name, (from, to)| name.replace(from, to));
        Some((name, rows.into_iter().chain([columns]).collect(), bytes(&values)))
    }
}

/// Name, shape and bytes.
type Stored = (String, Vec<usize>, Vec<u8>);

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// In the GGUF files of some families, the rows of a head that turn together are neighbours; in folders they stand half a
/// head apart.
fn in_halves(values: &[f32], columns: usize, head_dim: usize) -> Vec<f32> {
    let head = |head: &[f32]| -> Vec<f32> {
        let row = |row: usize| &head[row * columns..(row + 1) * columns];
        (0..2).flat_map(|odd| (odd..head_dim).step_by(2)).flat_map(|at| row(at).to_vec()).collect()
    };
    values.chunks_exact(head_dim * columns).flat_map(head).collect()
}
