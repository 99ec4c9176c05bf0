//! Tiny checkpoints with made-up weights, one for each family that candle-transformers computes. The tokenizer is pico's.

use planrun::engine::pico::assets;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const HIDDEN: usize = 64;
const INNER: usize = 96;
const HEAD: usize = 16;
const QUERIES: usize = 64;
const KEYS: usize = 32;
const VOCABULARY: usize = 512;
const LAYERS: usize = 3;

/// A tensor's name and shape.
pub(crate) type Named = (String, Vec<usize>);

/// `config.json` of the tiny model of a family.
pub(crate) fn configuration(family: &str) -> Value {
    let mut config = json!({
        "model_type": family, "vocab_size": VOCABULARY, "hidden_size": HIDDEN, "intermediate_size": INNER,
        "num_hidden_layers": LAYERS, "num_attention_heads": QUERIES / HEAD, "num_key_value_heads": KEYS / HEAD,
        "max_position_embeddings": 256, "rms_norm_eps": 1e-5, "rope_theta": 10_000.0, "hidden_act": "silu",
        "bos_token_id": 1, "eos_token_id": [2, 3], "tie_word_embeddings": true,
    });
    let own = match family {
        "gemma2" => json!({
            "attention_bias": false, "head_dim": HEAD, "hidden_activation": "gelu_pytorch_tanh",
            "query_pre_attn_scalar": HEAD, "sliding_window": 128,
            "attn_logit_softcapping": 5.0, "final_logit_softcapping": 3.0,
        }),
        "glm4" => json!({
            "head_dim": HEAD, "partial_rotary_factor": 0.5, "attention_bias": true, "tie_word_embeddings": false,
        }),
        "granite" | "granitemoehybrid" => json!({
            "embedding_multiplier": 3.0, "attention_multiplier": 0.4, "residual_multiplier": 0.7,
            "logits_scaling": 2.0, "shared_intermediate_size": INNER, "num_local_experts": 0,
        }),
        "lfm2" => json!({
            "layer_types": ["conv", "full_attention", "conv"], "norm_eps": 1e-5, "conv_L_cache": 3,
            "conv_bias": false, "block_ff_dim": INNER * 3 / 2, "block_multiple_of": 8,
        }),
        "olmo2" => json!({ "attention_bias": false, "tie_word_embeddings": false }),
        "phi3" => json!({ "sliding_window": 200, "rope_scaling": null, "tie_word_embeddings": false }),
        _ => json!({}),
    };
    for (key, value) in own.as_object().unwrap() {
        config[key] = value.clone();
    }
    config
}

/// Writes a model folder.
pub(crate) fn write(folder: &Path, config: &Value) {
    write_tensors(folder, config, &tensors(config["model_type"].as_str().unwrap()));
}

/// Writes a model folder with these tensors.
pub(crate) fn write_tensors(folder: &Path, config: &Value, tensors: &[Named]) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("config.json"), config.to_string()).unwrap();
    fs::write(folder.join("tokenizer.json"), assets().tokenizer).unwrap();
    fs::write(folder.join("tokenizer_config.json"), assets().tokenizer_config).unwrap();
    let centre = if config["model_type"] == "gemma2" { 0.0 } else { 1.0 };
    let bytes: Vec<Vec<u8>> = tensors.iter().map(|tensor| bytes(tensor, centre)).collect();
    let views = tensors.iter().zip(&bytes).map(|((name, shape), bytes)| {
        (name.as_str(), TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap())
    });
    fs::write(folder.join("model.safetensors"), safetensors::serialize(views, None).unwrap()).unwrap();
}

/// Norms scatter about `centre`, everything else about 0; the numbers depend on the name alone.
fn bytes((name, shape): &Named, centre: f32) -> Vec<u8> {
    let centre = if name.contains("norm") { centre } else { 0.0 };
    let mut state = name.bytes().fold(7_u64, |state, byte| scrambled(state ^ u64::from(byte)));
    let mut number = || {
        state = scrambled(state);
        centre + 0.4 * ((state >> 40) as f32 / (1 << 24) as f32 - 0.5)
    };
    (0..shape.iter().product()).flat_map(|_| number().to_le_bytes()).collect()
}

/// The output function of `SplitMix64` (Steele, Lea & Flood 2014).
fn scrambled(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The tensors of the tiny model of a family; `llama` has those of `granite`.
pub(crate) fn tensors(family: &str) -> Vec<Named> {
    let last = if family == "lfm2" { "embedding_norm" } else { "norm" };
    let mut all =
        vec![named("model.embed_tokens", &[VOCABULARY, HIDDEN]), named(&format!("model.{last}"), &[HIDDEN])];
    if matches!(family, "glm4" | "olmo2" | "phi3") {
        all.push(named("lm_head", &[VOCABULARY, HIDDEN]));
    }
    for layer in 0..LAYERS {
        let inside = of_layer(family, layer);
        all.extend(inside.into_iter().map(|(name, shape)| (format!("model.layers.{layer}.{name}"), shape)));
    }
    all
}

fn named(name: &str, shape: &[usize]) -> Named {
    (format!("{name}.weight"), shape.to_vec())
}

fn of_layer(family: &str, layer: usize) -> Vec<Named> {
    let norms: &[&str] = match family {
        "gemma2" => &[
            "input_layernorm",
            "post_attention_layernorm",
            "pre_feedforward_layernorm",
            "post_feedforward_layernorm",
        ],
        "glm4" => {
            &["input_layernorm", "post_attention_layernorm", "post_self_attn_layernorm", "post_mlp_layernorm"]
        }
        "lfm2" => &["operator_norm", "ffn_norm"],
        "olmo2" => &["post_attention_layernorm", "post_feedforward_layernorm"],
        _ => &["input_layernorm", "post_attention_layernorm"],
    };
    let norms = norms.iter().map(|norm| named(norm, &[HIDDEN]));
    norms.chain(mixer(family, layer)).chain(feed_forward(family)).collect()
}

fn mixer(family: &str, layer: usize) -> Vec<Named> {
    if family == "lfm2" && layer != 1 {
        return vec![
            named("conv.in_proj", &[3 * HIDDEN, HIDDEN]),
            named("conv.out_proj", &[HIDDEN, HIDDEN]),
            named("conv.conv", &[HIDDEN, 1, 3]),
        ];
    }
    let output = if family == "lfm2" { "out_proj" } else { "o_proj" };
    let mut all = vec![named(&format!("self_attn.{output}"), &[HIDDEN, QUERIES])];
    if family == "phi3" {
        all.push(named("self_attn.qkv_proj", &[QUERIES + 2 * KEYS, HIDDEN]));
        return all;
    }
    for (part, rows) in [("q_proj", QUERIES), ("k_proj", KEYS), ("v_proj", KEYS)] {
        all.push(named(&format!("self_attn.{part}"), &[rows, HIDDEN]));
        if family == "glm4" {
            all.push((format!("self_attn.{part}.bias"), vec![rows]));
        }
    }
    match family {
        "lfm2" => all
            .extend(["q_layernorm", "k_layernorm"].map(|norm| named(&format!("self_attn.{norm}"), &[HEAD]))),
        "olmo2" => all.extend(
            [("q_norm", QUERIES), ("k_norm", KEYS)]
                .map(|(norm, width)| named(&format!("self_attn.{norm}"), &[width])),
        ),
        _ => {}
    }
    all
}

fn feed_forward(family: &str) -> Vec<Named> {
    let (inner, hidden) = (INNER, HIDDEN);
    match family {
        "phi3" | "glm4" => {
            vec![named("mlp.gate_up_proj", &[2 * inner, hidden]), named("mlp.down_proj", &[hidden, inner])]
        }
        "granitemoehybrid" => vec![
            named("shared_mlp.input_linear", &[2 * inner, hidden]),
            named("shared_mlp.output_linear", &[hidden, inner]),
        ],
        "lfm2" => vec![
            named("feed_forward.w1", &[inner, hidden]),
            named("feed_forward.w3", &[inner, hidden]),
            named("feed_forward.w2", &[hidden, inner]),
        ],
        _ => vec![
            named("mlp.gate_proj", &[inner, hidden]),
            named("mlp.up_proj", &[inner, hidden]),
            named("mlp.down_proj", &[hidden, inner]),
        ],
    }
}
