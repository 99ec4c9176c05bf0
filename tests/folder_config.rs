//! `config.json` and `generation_config.json` that are wrong.

use crate::support::folder::{Folder, config};
use serde_json::{Value, json};

fn refuses(text: &str, shown: &str) {
    let message = Folder::with("config.json", text).refusal();
    for part in ["config.json", shown] {
        assert!(message.contains(part), "{part:?} is missing in {message} of {text}");
    }
}

/// The right config with another value.
fn with(key: &str, value: Value) -> String {
    let mut config = config();
    config[key] = value;
    config.to_string()
}

#[test]
fn a_config_that_is_no_json_object_is_refused() {
    let whole = config().to_string();
    for end in (0..whole.len()).step_by(7) {
        let message = Folder::with("config.json", &whole[..end]).refusal();
        assert!(message.contains("config.json"), "{message}");
    }
    for text in ["[]", "null", "7", "\"llama\"", "{}"] {
        refuses(text, "`model_type` is `(none)`");
    }
    refuses(&format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000)), "recursion limit");
    let message = Folder::with("config.json", [b'{', 0xff, b'}']).refusal();
    assert!(message.contains("config.json") && message.contains("UTF-8"), "{message}");
}

#[test]
fn every_size_that_is_needed_is_missed_by_name() {
    for key in [
        "vocab_size",
        "hidden_size",
        "intermediate_size",
        "num_hidden_layers",
        "num_attention_heads",
        "rms_norm_eps",
        "max_position_embeddings",
    ] {
        let mut config = config();
        config.as_object_mut().unwrap().remove(key);
        refuses(&config.to_string(), &format!("missing field `{key}`"));
    }
}

#[test]
fn sizes_of_another_type_are_refused() {
    for key in ["vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "head_dim"] {
        for value in [json!("16"), json!(-1), json!(1.5), json!([16]), json!({}), json!(true)] {
            refuses(&with(key, value), "invalid");
        }
    }
    refuses(&with("rms_norm_eps", json!("small")), "invalid type");
    refuses(&with("layer_types", json!("full_attention")), "invalid type");
    refuses(&with("rope_scaling", json!("linear")), "invalid type");
    refuses(&with("rope_parameters", json!([1])), "rope_parameters");
    refuses(&with("eos_token_id", json!("end")), "eos_token_id");
    refuses(&with("eos_token_id", json!([1, -2])), "eos_token_id");
}

#[test]
fn absurd_sizes_are_refused_before_memory_is_set_aside_for_them() {
    let absurd = [json!(0), json!(1_000_000_000_000_u64), json!(u64::MAX)];
    for (key, shown) in [
        ("vocab_size", "the vocabulary is"),
        ("hidden_size", "the hidden size is"),
        ("intermediate_size", "the feed-forward size is"),
        ("num_hidden_layers", "the number of layers is"),
        ("num_attention_heads", "the number of attention heads is"),
        ("num_key_value_heads", "the number of key/value heads is"),
        ("head_dim", "the size of a head is"),
        ("max_position_embeddings", "the context length is"),
    ] {
        for value in &absurd {
            refuses(&with(key, value.clone()), shown);
        }
    }
    refuses(&with("num_hidden_layers", json!(5000)), "the number of layers is 5000");
    refuses(&with("head_dim", json!(2048)), "the size of a head is 2048");
}

#[test]
fn sizes_that_contradict_each_other_or_the_weights_are_refused() {
    refuses(&with("head_dim", json!(7)), "cannot be rotated in pairs");
    refuses(
        &with("num_attention_heads", json!(3))
            .replace("\"num_key_value_heads\":1", "\"num_key_value_heads\":2"),
        "no multiple",
    );
    refuses(&with("num_attention_heads", json!(1000)), "do not belong to a hidden size of 16");
    let contradicts = |key: &str, value: Value, shown: &str| {
        let message = Folder::with("config.json", with(key, value)).refusal();
        assert!(message.contains(shown), "{message}");
    };
    contradicts("hidden_size", json!(32), "`model.embed_tokens.weight` is 512 x 16");
    contradicts("vocab_size", json!(16_000_000), "`model.embed_tokens.weight` is 512 x 16");
    contradicts("intermediate_size", json!(33), "mlp.gate_proj.weight` is 32 x 16");
    contradicts("num_hidden_layers", json!(2), "model.layers.1.");
    contradicts("head_dim", json!(16), "self_attn.q_proj.weight` is 16 x 16");
    contradicts("tie_word_embeddings", json!(false), "`lm_head.weight` is missing");
    contradicts("model_type", json!("qwen2"), "q_proj.bias` is missing");
    contradicts("model_type", json!("qwen3"), "q_norm.weight` is missing");
}

#[test]
fn numbers_that_cannot_be_computed_with_are_refused() {
    refuses(&with("rms_norm_eps", json!(-1.0)), "the number that norms add is -1");
    refuses(&with("rms_norm_eps", json!(1e300)), "the number that norms add is inf");
    refuses(
        &config().to_string().replace("1e-5", "1e999").replace("0.00001", "1e999"),
        "number out of range",
    );
    for theta in [0.0, -1.0] {
        refuses(&with("rope_theta", json!(theta)), "the base of the rotary positions is");
    }
    let gemma = |key: &str, value: Value| {
        with(key, value).replace("\"model_type\":\"llama\"", "\"model_type\":\"gemma3_text\"")
    };
    refuses(&gemma("query_pre_attn_scalar", json!(0)), "no positive number");
    refuses(&gemma("query_pre_attn_scalar", json!(-4)), "no positive number");
    refuses(&gemma("sliding_window", json!(0)), "a window of 0 tokens");
    let scaling = |text: &str| with("rope_scaling", serde_json::from_str(text).unwrap());
    refuses(&scaling(r#"{"rope_type": "linear"}"#), "lacks a positive `factor`");
    refuses(&scaling(r#"{"rope_type": "linear", "factor": 0}"#), "lacks a positive `factor`");
    refuses(&scaling(r#"{"rope_type": "spiral", "factor": 2}"#), "rope scaling `spiral`");
    let llama3 = r#"{"rope_type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 4,
        "original_max_position_embeddings": 8192}"#;
    refuses(&scaling(llama3), "`high_freq_factor` is not above");
}

#[test]
fn what_the_decoder_does_not_compute_is_refused_by_name() {
    refuses(&with("model_type", json!("mamba")), "`model_type` is `mamba`");
    refuses(&with("hidden_act", json!("relu")), "`hidden_act` is `relu`");
    refuses(&with("attention_bias", json!(true)), "`attention_bias` is true");
    refuses(&with("mlp_bias", json!(true)), "`mlp_bias` is true");
    refuses(&with("final_logit_softcapping", json!(30.0)), "softcapping");
}

#[test]
fn a_generation_config_that_is_none_is_refused() {
    for text in [
        "",
        "[",
        "{\"eos_token_id\": \"x\"}",
        "{\"eos_token_id\": [1, \"x\"]}",
        "{\"eos_token_id\": -1}",
        "7",
    ] {
        let message = Folder::with("generation_config.json", text).refusal();
        assert!(message.contains("generation_config.json"), "{message}");
    }
    for text in ["{}", "{\"eos_token_id\": null}", "{\"eos_token_id\": [1, 4294967295]}"] {
        assert!(Folder::with("generation_config.json", text).open().is_ok(), "{text}");
    }
}
