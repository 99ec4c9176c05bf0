//! Prompts that planrun writes itself and sends to a server as they are.

use crate::support::asking::{ask, done, finish, says, settings, usage};
use crate::support::pico_folder::pico_folder;
use crate::support::scripted_server::{Answer, ScriptedServer};
use planrun::abilities::EngineKind;
use planrun::condition::{Settings, Stated};
use planrun::engine;
use serde_json::json;
use std::path::Path;

/// A server of `owner` that counts `read` prompt tokens.
fn counting(owner: &'static str, read: u32) -> ScriptedServer {
    ScriptedServer::new(move |asked| match asked.path.as_str() {
        "/v1/models" => Answer::json(&json!({ "data": [{ "id": "m", "owned_by": owner }] })),
        "/v1/completions" if asked.json()["stream"] == true => {
            Answer::events(vec![says("one"), finish("length"), usage(read, 8), done()])
        }
        _ => Answer::whole(404, "text/plain", "not here"),
    })
}

fn with_files(server: &ScriptedServer, folder: &Path) -> Settings {
    let mut settings = settings(EngineKind::Openai, &server.url());
    settings.model_files = folder.display().to_string().into();
    settings.thinking = true.into();
    settings
}

/// Ids of the one question, as planrun writes it.
fn written(folder: &Path) -> (String, Vec<u32>) {
    let settings = with_files(&counting("somebody", 0), folder);
    let engine = engine::open_to_write(&settings, Path::new(".")).unwrap();
    let message =
        planrun::generation::Message { role: planrun::generation::Role::User, content: "Hi".into() };
    let prompt = engine.render(&[message], Stated::Set(true)).unwrap();
    (prompt.text, prompt.ids.unwrap())
}

#[test]
fn ids_are_sent_where_the_server_takes_them_and_text_elsewhere() {
    let folder = pico_folder();
    let (text, ids) = written(folder.path());
    for (owner, sent) in
        [("vllm", json!(ids)), ("sglang", json!(ids)), ("llamacpp", json!(ids)), ("x", json!(text))]
    {
        let server = counting(owner, ids.len() as u32);
        // What keeps a request cold is not there, and is not what this is about.
        let outcome = ask(&with_files(&server, folder.path()), Path::new("."));
        if owner == "sglang" {
            assert!(outcome.unwrap_err().contains("/flush_cache"));
            continue;
        }
        let asked = server.bodies("/v1/completions").pop().unwrap();
        assert_eq!((&asked["prompt"], &asked["messages"]), (&sent, &json!(null)), "{owner}");
        assert!(asked.get("chat_template_kwargs").is_none(), "the prompt says it already");
    }
}

#[test]
fn a_server_that_read_another_prompt_is_told_with_both_numbers() {
    let folder = pico_folder();
    let count = written(folder.path()).1.len();
    let server = counting("somebody", count as u32 + 1);
    let error = ask(&with_files(&server, folder.path()), Path::new(".")).unwrap_err();
    assert!(error.contains(&format!("has {count} tokens, and the engine read {}", count + 1)), "{error}");
}

#[test]
fn files_say_how_prompts_are_written_and_not_what_the_server_holds() {
    let folder = pico_folder();
    let server = counting("vllm", 0);
    let engine = engine::open(&with_files(&server, folder.path()), Path::new("."), None).unwrap();
    let found = engine.observed();
    assert!(found.tokenizer.get().is_some() && found.chat_template.get().is_some());
    assert_eq!((&found.weights, &found.source), (&Stated::Unknown, &Stated::Unknown));
    assert!(engine.has_thinking_switch());
}

#[test]
fn a_synthetic_prompt_that_goes_as_text_comes_back_as_the_same_tokens() {
    let folder = pico_folder();
    let by_text =
        engine::open(&with_files(&counting("somebody", 0), folder.path()), Path::new("."), None).unwrap();
    let by_ids =
        engine::open(&with_files(&counting("vllm", 0), folder.path()), Path::new("."), None).unwrap();
    for tokens in [1, 7, 50, 333] {
        let prompt = by_text.synthetic_prompt(tokens, 5).unwrap();
        assert_eq!(prompt.ids.as_ref().map(Vec::len), Some(tokens as usize));
        assert_eq!(by_text.tokenize(&prompt.text).unwrap(), prompt.ids.unwrap());
        assert_eq!(
            by_ids.synthetic_prompt(tokens, 5).unwrap().ids.map(|ids| ids.len()),
            Some(tokens as usize)
        );
    }
    let one = by_text.synthetic_prompt(50, 5).unwrap();
    assert_ne!(one.text, by_text.synthetic_prompt(50, 6).unwrap().text);
}

#[test]
fn a_first_token_that_the_server_adds_to_a_text_is_not_sent_twice() {
    let folder = pico_folder();
    let place = folder.path().join("tokenizer.json");
    let mut tokenizer: serde_json::Value = serde_json::from_slice(&std::fs::read(&place).unwrap()).unwrap();
    let first = tokenizer["added_tokens"][0].clone();
    let (mark, id) = (first["content"].as_str().unwrap().to_owned(), first["id"].clone());
    tokenizer["post_processor"] = json!({
        "type": "TemplateProcessing",
        "single": [{ "SpecialToken": { "id": mark, "type_id": 0 } }, { "Sequence": { "id": "A", "type_id": 0 } }],
        "pair": [{ "Sequence": { "id": "A", "type_id": 0 } }, { "Sequence": { "id": "B", "type_id": 1 } }],
        "special_tokens": { mark.clone(): { "id": mark, "ids": [id], "tokens": [mark] } },
    });
    std::fs::write(&place, tokenizer.to_string()).unwrap();
    let template = folder.path().join("chat.jinja");
    std::fs::write(&template, format!("{mark}{{{{ messages[-1].content }}}}")).unwrap();
    let sent = |text: &str| {
        let server = counting("somebody", 0);
        let mut settings = with_files(&server, folder.path());
        settings.chat_template = template.display().to_string().into();
        settings.thinking = Stated::Unset;
        let mut engine = engine::open(&settings, Path::new("."), None).unwrap();
        let prompt = planrun::generation::Prompt { text: text.to_owned(), ids: None, chat: None };
        let sampling = planrun::generation::Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
        let request = planrun::generation::Request { prompt, max_tokens: 8, sampling, ignore_eos: false };
        engine.generate(&request).unwrap();
        server.bodies("/v1/completions").pop().unwrap()["prompt"].clone()
    };
    assert_eq!((sent(&format!("{mark}Hi")), sent("Hi")), (json!("Hi"), json!("Hi")));
}
