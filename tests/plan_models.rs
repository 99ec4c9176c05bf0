//! What `check` says of a model by its files, without opening it.

use crate::plan_cases::{HEAD, QUALITY, errors, folder};
use planrun::plan::Planned;
use planrun::run::prepare;
use std::fs;

/// A plan whose model is a folder with these files.
fn with_model(settings: &str, files: &[(&str, &str)]) -> Result<Planned, String> {
    with_model_in("scripted", settings, files)
}

fn with_model_in(engine: &str, settings: &str, files: &[(&str, &str)]) -> Result<Planned, String> {
    let head = HEAD
        .replace("\"scripted\"", &format!("\"{engine}\""))
        .replace("\"pico\"", "\"tiny\"")
        .replace("scorer", &format!("max_tokens = 8\n{settings}\nscorer"));
    let (folder, path) = folder(&format!("{head}\n{QUALITY}"));
    let model = folder.path().join("tiny");
    fs::create_dir(&model).unwrap();
    fs::write(model.join("config.json"), r#"{"hidden_size": 96}"#).unwrap();
    for (name, text) in files {
        fs::write(model.join(name), text).unwrap();
    }
    prepare(&path, &[]).map_err(|errors| errors.to_string())
}

#[test]
fn a_recommended_sampling_that_the_plan_does_not_follow_is_noted() {
    let recommended = r#"{"do_sample": true, "temperature": 0.6, "top_k": 20, "top_p": 0.95}"#;
    let files = [("generation_config.json", recommended)];
    let notes = with_model("top_k = 20", &files).unwrap().notes;
    let right = "the makers of `tiny` recommend temperature 0.6 (the plan: 0), top_p 0.95 (the plan: unset) in \
                 generation_config.json";
    assert!(notes.iter().any(|note| note == right), "{notes:?}");
    let greedy = [("generation_config.json", r#"{"temperature": 0.6}"#)];
    assert!(!with_model("", &greedy).unwrap().notes.iter().any(|note| note.contains("makers")));
}

#[test]
fn only_a_template_without_any_switch_refuses_thinking() {
    let thinking = |template: &str| with_model("thinking = true", &[("chat_template.jinja", template)]);
    assert!(thinking("{{ messages }}").unwrap_err().contains("has no thinking switch"));
    for template in
        ["{% if thinking %}", "{% if '/no_think' in x %}", "detailed thinking on", "{{ enable_thinking }}"]
    {
        thinking(template).unwrap_or_else(|errors| panic!("{template}: {errors}"));
    }
}

#[test]
fn a_day_that_the_calendar_does_not_have_is_an_error() {
    for (day, told) in [("2026-02-30", "`2026-02-30` is no day"), ("tomorrow", "template_date")] {
        let head = HEAD.replace(
            "scorer",
            &format!("thinking = false\nmax_tokens = 8\ntemplate_date = \"{day}\"\nscorer"),
        );
        let text = errors(&format!("{head}\n{QUALITY}"));
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn what_a_family_cannot_do_is_refused_with_model_setting_and_remedy() {
    let phi = |settings: &str| {
        let config = r#"{"model_type": "phi3", "hidden_size": 256}"#;
        with_model_in("candle", settings, &[("config.json", config)])
    };
    for (settings, told) in [
        ("quantization = \"q4_k\"", "`tiny`: candle-transformers computes `phi3` in f32, not in `q4_k`"),
        ("prefill_chunk = 64", "reads a prompt of `phi3` in one pass"),
        ("prefix_cache = \"warm\"", "cannot cut the cache of `phi3` back"),
    ] {
        let text = phi(settings).unwrap_err();
        let remedy = text.contains("leave it out");
        assert!(text.contains(told) && remedy && !text.contains("blocks"), "{settings}: {text}");
    }
    phi("quantization = \"f32\"").unwrap();
}
