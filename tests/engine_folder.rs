//! Models in folders: what is found, and what an error says when it is not.

use planrun::condition::{Settings, Stated};
use planrun::engine::pico::assets;
use planrun::engine::{CandleEngine, Engine, EngineError};
use planrun::generation::{Message, Role};
use safetensors::SafeTensors;
use safetensors::tensor::TensorView;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const FILES: [&str; 4] = ["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"];

/// A plan's folder with the model `tiny` in it.
fn plan_folder() -> TempDir {
    let base = tempfile::tempdir().unwrap();
    let model = base.path().join("tiny");
    fs::create_dir(&model).unwrap();
    let assets = assets();
    let contents = [
        assets.config.as_bytes(),
        assets.tokenizer.as_bytes(),
        assets.tokenizer_config.as_bytes(),
        assets.weights,
    ];
    for (name, content) in FILES.iter().zip(contents) {
        fs::write(model.join(name), content).unwrap();
    }
    base
}

fn settings(model: &str) -> Settings {
    Settings {
        model: Stated::Set(model.to_owned()),
        quantization: Stated::Set("q8_0".to_owned()),
        ..Settings::default()
    }
}

fn open(base: &TempDir) -> Result<CandleEngine, EngineError> {
    CandleEngine::open(&settings("tiny"), base.path())
}

fn edit(base: &TempDir, name: &str, from: &str, to: &str) {
    let path = base.path().join("tiny").join(name);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from));
    fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn a_folder_answers_as_the_same_files_embedded_do() {
    let base = plan_folder();
    let mut folder = open(&base).unwrap();
    let mut embedded = CandleEngine::open(&settings("pico"), base.path()).unwrap();
    assert_eq!(folder.logits(&[5, 6, 7]).unwrap(), embedded.logits(&[5, 6, 7]).unwrap());
    assert_eq!(folder.observed().source, Stated::Set("folder:tiny".to_owned()));
    assert_eq!(folder.observed().weights, embedded.observed().weights);
}

#[test]
fn sharded_weights_give_the_same_logits() {
    let base = plan_folder();
    let whole = open(&base).unwrap().logits(&[5, 6, 7]).unwrap();
    let folder = base.path().join("tiny");
    let tensors = SafeTensors::deserialize(assets().weights).unwrap();
    let all = tensors.tensors();
    let (first, second) = all.split_at(all.len() / 2);
    let mut map = serde_json::Map::new();
    for (file, part) in [("a.safetensors", first), ("b.safetensors", second)] {
        let part: Vec<(&str, &TensorView<'_>)> =
            part.iter().map(|(name, view)| (name.as_str(), view)).collect();
        map.extend(part.iter().map(|(name, _)| ((*name).to_owned(), file.into())));
        fs::write(folder.join(file), safetensors::serialize(part, None).unwrap()).unwrap();
    }
    fs::remove_file(folder.join("model.safetensors")).unwrap();
    let index = serde_json::json!({ "weight_map": map });
    fs::write(folder.join("model.safetensors.index.json"), index.to_string()).unwrap();
    assert_eq!(open(&base).unwrap().logits(&[5, 6, 7]).unwrap(), whole);
}

#[test]
fn every_missing_file_is_named() {
    for name in FILES {
        let base = plan_folder();
        fs::remove_file(base.path().join("tiny").join(name)).unwrap();
        let error = open(&base).unwrap_err();
        assert!(matches!(&error, EngineError::NotFound { path, .. } if path.ends_with(name)), "{error}");
    }
}

#[test]
fn a_missing_folder_says_where_it_was_looked_for() {
    let base = plan_folder();
    let error = CandleEngine::open(&settings("absent"), base.path()).unwrap_err().to_string();
    assert!(error.contains("absent") && error.contains("PLANRUN_MODELS"), "{error}");
}

#[test]
fn another_architecture_and_a_wrong_shape_are_refused() {
    let base = plan_folder();
    edit(&base, "config.json", "\"qwen3\"", "\"gemma3\"");
    let error = open(&base).unwrap_err().to_string();
    assert!(error.contains("config.json") && error.contains("gemma3"), "{error}");
    edit(&base, "config.json", "\"gemma3\"", "\"qwen3\"");
    edit(&base, "config.json", "\"intermediate_size\": 512", "\"intermediate_size\": 768");
    let error = open(&base).unwrap_err().to_string();
    assert!(error.contains("mlp.gate_proj") && error.contains("512 x 256"), "{error}");
}

#[test]
fn blocks_that_do_not_fit_a_row_are_refused_with_the_scheme_and_the_tensor() {
    let base = plan_folder();
    edit(&base, "config.json", "\"hidden_size\": 256", "\"hidden_size\": 96");
    let settings = Settings { quantization: Stated::Set("q4_k".to_owned()), ..settings("tiny") };
    let error = CandleEngine::open(&settings, base.path()).unwrap_err();
    assert!(matches!(error, EngineError::Unsupported { field: "quantization", .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("q4_k") && text.contains("q_proj") && text.contains("96"), "{text}");
}

#[test]
fn a_cut_weight_file_is_refused_not_read_short() {
    let base = plan_folder();
    let path = base.path().join("tiny/model.safetensors");
    fs::write(&path, &assets().weights[..assets().weights.len() - 100]).unwrap();
    assert!(matches!(open(&base), Err(EngineError::Unusable { .. })));
}

#[test]
fn a_template_file_of_the_plan_replaces_the_models_own() {
    let base = plan_folder();
    fs::write(base.path().join("mine.jinja"), "Q: {{ messages[0].content }} A:").unwrap();
    let settings = Settings { chat_template: Stated::Set("mine.jinja".to_owned()), ..settings("tiny") };
    let engine = CandleEngine::open(&settings, Path::new(base.path())).unwrap();
    let message = Message { role: Role::User, content: "why?".to_owned() };
    assert_eq!(engine.render(&[message], Stated::Unset).unwrap().text, "Q: why? A:");
    assert!(!engine.has_thinking_switch());
}

#[test]
fn settings_that_the_template_does_not_understand_are_refused() {
    let base = plan_folder();
    fs::write(base.path().join("graded.jinja"), "{{ reasoning_effort }}{{ messages[0].content }}").unwrap();
    let graded = Settings { chat_template: Stated::Set("graded.jinja".to_owned()), ..settings("tiny") };
    let effort = Stated::Set("high".to_owned());
    let engine =
        CandleEngine::open(&Settings { thinking_effort: effort.clone(), ..graded.clone() }, base.path());
    let message = Message { role: Role::User, content: "why?".to_owned() };
    assert_eq!(engine.unwrap().render(&[message], Stated::Unset).unwrap().text, "highwhy?");
    let refused = |settings: Settings| CandleEngine::open(&settings, base.path()).unwrap_err().to_string();
    let off = refused(Settings { thinking: Stated::Set(false), ..graded });
    assert!(off.contains("cannot be kept from reasoning") && off.contains("thinking_effort"), "{off}");
    let effort = refused(Settings { thinking_effort: effort, ..settings("tiny") });
    assert!(effort.contains("thinking_effort") && effort.contains("reasoning_effort"), "{effort}");
    let day = refused(Settings { template_date: Stated::Set("2026-02-30".to_owned()), ..settings("tiny") });
    assert!(day.contains("`2026-02-30` is no day"), "{day}");
}
