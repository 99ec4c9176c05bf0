//! `tokenizer.json`, `tokenizer_config.json` and chat templates that are wrong.

use crate::support::folder::{Folder, ask};
use planrun::condition::Stated;
use planrun::engine::Engine;
use planrun::engine::pico::assets;
use planrun::generation::{Message, Role};
use serde_json::{Value, json};

const TOKENIZER: &str = "tokenizer.json";
const CONFIG: &str = "tokenizer_config.json";

fn tokenizer() -> Value {
    serde_json::from_str(assets().tokenizer).unwrap()
}

fn refuses(file: &str, text: impl AsRef<[u8]>, shown: &str) {
    let message = Folder::with(file, text).refusal();
    for part in [file, shown] {
        assert!(message.contains(part), "{part:?} is missing in {message}");
    }
}

/// A tokenizer that may be read or refused; nothing else may happen, whatever is asked of it.
fn survives(tokenizer: &Value) -> Result<String, String> {
    let folder = Folder::with(TOKENIZER, tokenizer.to_string());
    let mut engine = folder.open().map_err(|error| error.to_string())?;
    ask(&mut engine).map_err(|error| error.to_string())
}

#[test]
fn a_tokenizer_cut_anywhere_is_refused() {
    let whole = assets().tokenizer;
    for end in (0..whole.trim_end().len()).step_by(whole.len() / 40) {
        refuses(TOKENIZER, &whole[..end], "not a readable tokenizer");
    }
}

#[test]
fn a_tokenizer_that_is_none_is_refused() {
    for text in ["", "[]", "null", "{}", "{\"model\": null}", "{\"model\": {\"type\": \"BPE\"}}"] {
        refuses(TOKENIZER, text, "not a readable tokenizer");
    }
    refuses(TOKENIZER, [0xff, 0xfe, b'{'], "UTF-8");
    let deep = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
    refuses(TOKENIZER, deep, "not a readable tokenizer");
    for (pointer, value) in [
        ("/model/type", json!("Magic")),
        ("/model/vocab", json!([])),
        ("/model/vocab", json!({"a": -1})),
        ("/model/vocab", json!({"a": 1_u64 << 40})),
        ("/model/vocab", json!({"a": "1"})),
        ("/model/merges", json!([["a"]])),
        ("/model/merges", json!([["nobody", "knows"]])),
        ("/model/merges", json!(["a b c d"])),
        ("/added_tokens", json!([{"id": 1}])),
        ("/pre_tokenizer", json!({"type": "Magic"})),
        (
            "/pre_tokenizer",
            json!({"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated", "invert": false}),
        ),
        ("/decoder", json!({"type": "Magic"})),
    ] {
        let mut tokenizer = tokenizer();
        *tokenizer.pointer_mut(pointer).unwrap() = value.clone();
        let message = Folder::with(TOKENIZER, tokenizer.to_string()).refusal();
        assert!(message.contains(TOKENIZER), "{pointer} {value}: {message}");
    }
}

#[test]
fn a_vocabulary_of_another_model_is_refused_when_its_tokens_are_met() {
    let mut moved = tokenizer();
    for id in moved["model"]["vocab"].as_object_mut().unwrap().values_mut() {
        *id = json!(id.as_u64().unwrap() + 100_000);
    }
    for added in moved["added_tokens"].as_array_mut().unwrap() {
        added["id"] = json!(added["id"].as_u64().unwrap() + 100_000);
    }
    let error = survives(&moved).unwrap_err();
    assert!(error.contains("tokenizer.json") && error.contains("no tokens for ordinary text"), "{error}");
    let mut one = tokenizer();
    let first = one["model"]["vocab"].as_object().unwrap().keys().find(|key| *key == "o").unwrap().clone();
    one["model"]["vocab"][&first] = json!(4_000_000_000_u32);
    one["model"]["merges"] = json!([]);
    let error = survives(&one).unwrap_err();
    assert!(error.contains("4000000000 is not among the model's 512 tokens"), "{error}");
}

#[test]
fn cutting_and_filling_left_in_a_tokenizer_do_nothing() {
    let right = survives(&tokenizer()).unwrap();
    let mut cut = tokenizer();
    cut["truncation"] =
        json!({ "direction": "Right", "max_length": 1, "strategy": "LongestFirst", "stride": 0 });
    assert_eq!(survives(&cut).unwrap(), right);
    let mut filled = tokenizer();
    filled["padding"] = json!({
        "strategy": {"Fixed": 1_000_000_000_000_u64}, "direction": "Left", "pad_to_multiple_of": null, "pad_id": 0,
        "pad_type_id": 0, "pad_token": "x",
    });
    assert_eq!(survives(&filled).unwrap(), right);
}

#[test]
fn hostile_steps_of_a_tokenizer_neither_panic_nor_ask_for_much_memory() {
    let regex = json!({"type": "Split", "pattern": {"Regex": "(a*)*b(?=c)"}, "behavior": "Isolated", "invert": false});
    for (key, value) in [
        ("pre_tokenizer", regex),
        (
            "decoder",
            json!({"type": "Strip", "content": "a", "start": 1_000_000_000_000_u64, "stop": 1_000_000_000_000_u64}),
        ),
        ("normalizer", json!({"type": "Sequence", "normalizers": []})),
        ("normalizer", json!({"type": "Prepend", "prepend": ""})),
        ("normalizer", json!({"type": "Replace", "pattern": {"String": ""}, "content": "x"})),
        (
            "post_processor",
            json!({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "[X]", "type_id": 0}}],
            "pair": [], "special_tokens": {}}),
        ),
    ] {
        let mut tokenizer = tokenizer();
        tokenizer[key] = value;
        // An error is fine, and so is a reply.
        let _ = survives(&tokenizer);
    }
}

#[test]
fn a_tokenizer_config_that_is_none_is_refused() {
    let whole = assets().tokenizer_config.trim_end();
    for end in (0..whole.len()).step_by(whole.len() / 20) {
        refuses(CONFIG, &whole[..end], "EOF");
    }
    for text in ["[]", "null", "7", "\"x\""] {
        refuses(CONFIG, text, "invalid type");
    }
    for template in
        ["7", "{}", "[7]", "[{\"name\": \"tools\", \"template\": \"x\"}]", "[{\"name\": \"default\"}]"]
    {
        refuses(CONFIG, format!("{{\"chat_template\": {template}}}"), "`chat_template` is neither");
    }
    for text in ["{}", "{\"chat_template\": null}", "{\"bos_token\": 7, \"eos_token\": {\"content\": []}}"] {
        assert!(Folder::with(CONFIG, text).open().is_ok(), "{text}");
    }
}

#[test]
fn a_template_that_never_ends_is_stopped_wherever_it_stands() {
    let endless = [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% set c = b %}{% endfor %}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% set n = namespace(x='x') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x }}",
    ];
    let message = [Message { role: Role::User, content: "why?".to_owned() }];
    for template in endless {
        let beside = Folder::with("chat_template.jinja", template);
        let inside = Folder::with(CONFIG, json!({ "chat_template": template }).to_string());
        for folder in [beside, inside] {
            let error = folder.open().unwrap().render(&message, Stated::Unset).unwrap_err().to_string();
            assert!(error.contains("chat template"), "{error}");
        }
    }
}

#[test]
fn a_template_that_does_not_compile_is_refused_with_its_file() {
    for (template, shown) in
        [("{% if %}", "line 1"), ("{{ x", "chat template"), ("{% include '/etc/passwd' %}", "another file")]
    {
        refuses("chat_template.jinja", template, shown);
        refuses(CONFIG, json!({ "chat_template": template }).to_string(), shown);
    }
    refuses("chat_template.jinja", [0xff], "UTF-8");
}
