//! Replies that are held to a schema or a grammar: what each server is asked, and whether it kept to it.

use crate::support::asking::{ask, delta, done, event, finish, says, settings, usage};
use crate::support::pico_folder::pico_folder;
use crate::support::scripted_server::{Act, Answer, ScriptedServer};
use planrun::abilities::EngineKind;
use planrun::condition::{Settings, Stated};
use planrun::engine;
use planrun::fingerprint;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const CHAT: &str = "/v1/chat/completions";
const RAW: &str = "/v1/completions";
const SCHEMA: &str = r#"{"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}"#;
const GRAMMAR: &str = "root ::= \"yes\"";

/// A folder with a schema and a grammar.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.json"), SCHEMA).unwrap();
    fs::write(folder.path().join("g.gbnf"), GRAMMAR).unwrap();
    folder
}

/// A server of `owner` that replies so.
fn replying(owner: &'static str, acts: Vec<Act>) -> ScriptedServer {
    ScriptedServer::new(move |asked| match asked.path.as_str() {
        "/v1/models" => Answer::json(&json!({ "data": [{ "id": "m", "owned_by": owner }] })),
        CHAT | RAW if asked.json()["stream"] == true => Answer::events(acts.clone()),
        CHAT | RAW => Answer::json(&json!({ "system_fingerprint": "fp", "choices": [] })),
        "/flush_cache" => Answer::json(&json!({})),
        _ => Answer::whole(404, "text/plain", "not here"),
    })
}

/// A reply that ended for this reason.
fn reply(text: &str, reason: &str) -> Vec<Act> {
    vec![says(text), finish(reason), usage(3, 8), done()]
}

fn held(kind: EngineKind, server: &ScriptedServer) -> Settings {
    Settings { json_schema: "s.json".to_owned().into(), ..settings(kind, &server.url()) }
}

/// What comes of asking a server whose reply should keep to the schema.
fn outcome(acts: Vec<Act>) -> Result<String, String> {
    let server = replying("somebody", acts);
    ask(&held(EngineKind::Openai, &server), folder().path()).map(|told| told.item.text)
}

#[test]
fn a_reply_that_keeps_to_the_schema_is_taken() {
    assert_eq!(outcome(reply(" {\"age\": 3}\n", "stop")).unwrap(), " {\"age\": 3}\n");
}

#[test]
fn a_server_that_passes_a_schema_over_fails_the_item_with_the_place() {
    let told = outcome(reply("{\"age\": \"three\"}", "stop")).unwrap_err();
    assert!(
        told.contains("the engine did not keep to `json_schema`: at /age: \"three\" is not of type"),
        "{told}"
    );
    let told = outcome(reply("She is three.", "stop")).unwrap_err();
    assert!(told.contains("did not keep to `json_schema`: no JSON"), "{told}");
    let told = outcome(reply("{}", "stop")).unwrap_err();
    assert!(told.contains("at its root: \"age\" is a required property"), "{told}");
    let told = outcome(reply(" \n", "stop")).unwrap_err();
    assert!(told.contains("there is no answer"), "{told}");
}

#[test]
fn a_reply_that_was_cut_off_is_not_checked() {
    assert_eq!(outcome(reply("{\"age\": ", "length")).unwrap(), "{\"age\": ");
}

#[test]
fn only_what_stands_after_the_reasoning_is_checked() {
    let thought = event(&delta(&json!({ "reasoning_content": "She is three." })));
    let good = [vec![thought.clone()], reply("{\"age\": 3}", "stop")].concat();
    assert!(outcome(good).unwrap().ends_with("</think>\n\n{\"age\": 3}"));
    let bad = [vec![thought], reply("three", "stop")].concat();
    assert!(outcome(bad).unwrap_err().contains("no JSON"));
}

#[test]
fn the_condition_tells_the_content_of_the_file() {
    let (server, folder) = (replying("somebody", vec![]), folder());
    let engine = engine::open(&held(EngineKind::Openai, &server), folder.path(), None).unwrap();
    let fingerprint = fingerprint::of_bytes(SCHEMA.as_bytes());
    assert_eq!(engine.observed().json_schema, Stated::Set(fingerprint));
    assert_eq!(engine.observed().grammar, Stated::Unknown);
}

/// The field that a server of `owner` is sent, in a conversation or (`raw`) beside a rendered prompt.
fn sent(owner: &'static str, raw: bool, grammar: bool, field: &str) -> Result<Value, String> {
    let server = replying(owner, vec![says("x"), finish("length"), done()]);
    let mut settings = held(EngineKind::Openai, &server);
    let files = pico_folder();
    if raw {
        settings.model_files = files.path().display().to_string().into();
        settings.thinking = false.into();
    }
    if grammar {
        settings.json_schema = Stated::Unset;
        settings.grammar = "g.gbnf".to_owned().into();
    }
    ask(&settings, folder().path())?;
    let asked = server.bodies(if raw { RAW } else { CHAT }).pop().unwrap();
    Ok(asked[field].clone())
}

#[test]
fn each_server_is_asked_in_its_own_words() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let format = json!({
        "type": "json_schema", "json_schema": { "name": "reply", "schema": schema, "strict": true },
    });
    for owner in ["vllm", "sglang", "llamacpp", "somebody"] {
        assert_eq!(sent(owner, false, false, "response_format").unwrap(), format, "{owner}");
    }
    for (owner, field, value) in [
        ("vllm", "structured_outputs", json!({ "json": schema })),
        ("sglang", "response_format", format),
        ("llamacpp", "json_schema", schema.clone()),
    ] {
        assert_eq!(sent(owner, true, false, field).unwrap(), value, "{owner}");
    }
    for (owner, field, value) in [
        ("vllm", "structured_outputs", json!({ "grammar": GRAMMAR })),
        ("sglang", "ebnf", json!(GRAMMAR)),
        ("llamacpp", "grammar", json!(GRAMMAR)),
    ] {
        assert_eq!(sent(owner, true, true, field).unwrap(), value, "{owner}, raw");
        assert_eq!(sent(owner, false, true, field).unwrap(), value, "{owner}");
    }
}

#[test]
fn a_server_without_a_known_field_is_refused_with_a_remedy() {
    let told = sent("somebody", true, false, "").unwrap_err();
    assert!(told.contains("no field of /v1/completions is known on servers of the kind `openai`"), "{told}");
    assert!(told.contains("take `model_files` out"), "{told}");
    let told = sent("somebody", false, true, "").unwrap_err();
    assert!(told.starts_with("grammar: no field") && told.contains("vLLM, SGLang or llama-server"), "{told}");
}

#[test]
fn a_version_that_would_pass_a_grammar_over_is_refused() {
    let opened = |version: &'static str| {
        let server = ScriptedServer::new(move |asked| match asked.path.as_str() {
            "/v1/models" => Answer::json(&json!({ "data": [{ "id": "m", "owned_by": "vllm" }] })),
            _ => Answer::json(&json!({ "version": version })),
        });
        let grammar =
            Settings { grammar: "g.gbnf".to_owned().into(), ..settings(EngineKind::Openai, &server.url()) };
        engine::open(&grammar, folder().path(), None).map(drop).map_err(|error| error.to_string())
    };
    let told = opened("0.10.1").unwrap_err();
    assert!(told.contains("vLLM 0.10.1 has no `structured_outputs`") && told.contains("0.11"), "{told}");
    for version in ["0.11.0", "1.0", "0.12.1rc1", "dev"] {
        opened(version).unwrap();
    }
}

#[test]
fn an_engine_that_would_pass_a_schema_over_is_not_opened() {
    let settings = Settings { url: Stated::Unset, ..held(EngineKind::Scripted, &replying("x", vec![])) };
    let told = engine::open(&settings, folder().path(), None).err().unwrap().to_string();
    assert!(told.contains("engine `scripted` cannot hold replies to it; take `json_schema` out"), "{told}");
}

#[test]
fn mlc_llm_gets_the_schema_as_a_text() {
    let server = replying("MLC-LLM", vec![says("x"), finish("length"), usage(3, 8), done()]);
    ask(&held(EngineKind::MlcLlm, &server), folder().path()).unwrap();
    let format = server.bodies(CHAT).pop().unwrap()["response_format"].clone();
    let text = format["schema"].as_str().unwrap();
    assert_eq!((&format["type"], text.contains("\"integer\"")), (&json!("json_object"), true));
}

#[test]
fn warm_up_replies_may_end_where_the_schema_does() {
    let server = replying("vllm", reply("{\"age\": 3}", "stop"));
    let settings = Settings { warmup: 1.into(), ..held(EngineKind::Openai, &server) };
    ask(&settings, folder().path()).unwrap();
    let goes_on = |server: &ScriptedServer| -> Vec<bool> {
        let bodies = server.bodies(CHAT).into_iter().filter(|body| body["stream"] == true);
        bodies.map(|body| body["ignore_eos"] == true).collect()
    };
    assert_eq!(goes_on(&server), [false, false]);
    ask(&Settings { json_schema: Stated::Unset, ..settings }, Path::new(".")).unwrap();
    assert_eq!(goes_on(&server), [false, false, true, false], "a free warm-up has a fixed length");
}

#[test]
fn a_refusal_is_told_of_the_setting_that_the_plan_has_with_one_remedy() {
    let server = ScriptedServer::new(|asked| match asked.path.as_str() {
        "/v1/models" => Answer::json(&json!({ "data": [{ "id": "m", "owned_by": "vllm" }] })),
        CHAT => {
            Answer::whole(400, "application/json", "{\"error\": {\"message\": \"Failed to parse grammar\"}}")
        }
        _ => Answer::whole(404, "text/plain", "not here"),
    });
    let schema = held(EngineKind::Openai, &server);
    let grammar =
        Settings { json_schema: Stated::Unset, grammar: "g.gbnf".to_owned().into(), ..schema.clone() };
    let neither = Settings { json_schema: Stated::Unset, ..schema.clone() };
    for (settings, field, remedy) in [
        (&schema, "json_schema: ", "take it out, or write a schema that the server takes"),
        (&grammar, "grammar: ", "mend the grammar, or use another server"),
        (&neither, "http://", "take out of the plan what the server refuses, or use another server"),
    ] {
        let told = ask(settings, folder().path()).unwrap_err();
        let (start, end) = told.rsplit_once("; ").unwrap();
        assert!(start.contains(field) && start.ends_with("status 400: Failed to parse grammar"), "{told}");
        assert_eq!(end, remedy, "{told}");
    }
}
