//! Servers with the interface of OpenAI: which one it is, what it is asked, and what it refuses.

use crate::support::asking::{ask, ask_opened, done, finish, says, settings, usage};
use crate::support::scripted_server::{Answer, Asked, ScriptedServer};
use planrun::abilities::EngineKind;
use planrun::condition::{Isolation, Runtime, Settings, Stated};
use planrun::engine::{self, Engine};
use planrun::generation::{Prompt, Request, Sampling};
use serde_json::{Value, json};
use std::path::Path;

const CHAT: &str = "/v1/chat/completions";

/// A server whose models belong to `owner`, with these paths besides.
fn owned(owner: &'static str, paths: Vec<(&'static str, Value)>) -> ScriptedServer {
    ScriptedServer::new(move |asked| match asked.path.as_str() {
        "/v1/models" => {
            let entry =
                json!({ "id": "org/m", "owned_by": owner, "max_model_len": 512, "aliases": ["small"] });
            Answer::json(&json!({ "data": [entry] }))
        }
        CHAT | "/v1/completions" => reply(asked),
        path => match paths.iter().find(|(known, _)| *known == path) {
            Some((_, body)) => Answer::json(body),
            None => Answer::whole(404, "text/plain", "not here"),
        },
    })
}

fn reply(asked: &Asked) -> Answer {
    if asked.json()["stream"] == true {
        return Answer::events(vec![says("one"), finish("length"), usage(3, 8), done()]);
    }
    Answer::json(&json!({ "system_fingerprint": "fp_7", "choices": [] }))
}

fn at(server: &ScriptedServer) -> Settings {
    settings(EngineKind::Openai, &server.url())
}

fn opened(settings: &Settings) -> Box<dyn Engine> {
    engine::open(settings, Path::new("."), None).unwrap()
}

fn error_of(settings: &Settings) -> String {
    engine::open(settings, Path::new("."), None).err().unwrap().to_string()
}

fn request(ignore_eos: bool) -> Request {
    let sampling = Sampling { temperature: 0.5, top_k: Some(4), top_p: None, seed: 9 };
    let prompt = Prompt { text: "Hi".into(), ids: None, chat: None };
    Request { prompt, max_tokens: 8, sampling, ignore_eos }
}

#[test]
fn everything_that_decides_a_reply_is_stated() {
    let server = owned("somebody", vec![]);
    let mut settings = at(&server);
    settings.thinking = false.into();
    settings.thinking_effort = "low".to_owned().into();
    ask(&settings, Path::new(".")).unwrap();
    let asked = server.bodies(CHAT).pop().unwrap();
    let expected = json!({
        "model": "m", "stream": true, "stream_options": { "include_usage": true }, "max_tokens": 8,
        "temperature": 0.0, "top_p": 1.0, "seed": 0,
        "messages": [{ "role": "user", "content": "Hi" }],
        "chat_template_kwargs": { "enable_thinking": false }, "reasoning_effort": "low",
    });
    assert_eq!(asked, expected);
}

#[test]
fn a_fixed_length_is_asked_for_and_must_be_kept() {
    let server = owned("somebody", vec![]);
    let mut engine = opened(&at(&server));
    engine.generate(&request(true)).unwrap();
    let asked = server.bodies(CHAT).pop().unwrap();
    assert_eq!(
        (&asked["ignore_eos"], &asked["min_tokens"], &asked["top_k"]),
        (&json!(true), &json!(8), &json!(4))
    );
    let short = ScriptedServer::new(|asked| match asked.path.as_str() {
        "/v1/models" => Answer::json(&json!({ "data": [] })),
        _ => Answer::events(vec![says("one"), finish("stop"), usage(3, 2)]),
    });
    let error = opened(&at(&short)).generate(&request(true)).unwrap_err().to_string();
    assert!(error.contains("ended its reply by itself after 2 tokens, although 8 were to come"), "{error}");
    let long = ScriptedServer::new(|asked| match asked.path.as_str() {
        "/v1/models" => Answer::json(&json!({ "data": [] })),
        _ => Answer::events(vec![says("one"), finish("stop"), usage(3, 11)]),
    });
    let error = opened(&at(&long)).generate(&request(true)).unwrap_err().to_string();
    assert!(error.contains("max_tokens: the server made 11 tokens, more than the limit of 8"), "{error}");
}

#[test]
fn what_a_server_would_do_unasked_is_switched_off() {
    for (owner, neutral) in [
        ("vllm", json!({ "top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0 })),
        ("sglang", json!({ "top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0 })),
        ("llamacpp", json!({ "top_k": 0, "min_p": 0.0 })),
    ] {
        let server = owned(owner, vec![("/flush_cache", json!({}))]);
        ask(&at(&server), Path::new(".")).unwrap();
        let asked = server.bodies(CHAT).pop().unwrap();
        for (field, value) in neutral.as_object().unwrap() {
            assert_eq!(&asked[field], value, "{owner}: {field}");
        }
    }
}

#[test]
fn a_server_without_a_way_to_forget_is_asked_for_it_once() {
    let server = owned("somebody", vec![("/version", json!({ "version": "1" }))]);
    let mut engine = opened(&at(&server));
    for _ in 0..2 {
        ask_opened(engine.as_mut(), &at(&server)).unwrap();
    }
    let posted = server.asked().iter().filter(|asked| asked.path == "/reset_prefix_cache").count();
    assert_eq!(posted, 1);
}

#[test]
fn a_server_is_known_by_what_it_says_of_itself() {
    for (owner, path, body, name, version) in [
        ("vllm", "/version", json!({ "version": "0.11.0" }), "vllm", "0.11.0"),
        ("sglang", "/get_server_info", json!({ "version": "0.5.3" }), "sglang", "0.5.3"),
        ("llamacpp", "/props", json!({ "build_info": "b11434-x" }), "llama.cpp", "b11434-x"),
        ("somebody", "/info", json!({ "version": "3.3" }), "openai", "3.3"),
        ("somebody", "/nothing", json!({}), "openai", "fp_7"),
    ] {
        let server = owned(owner, vec![(path, body)]);
        let engine = opened(&at(&server));
        let found = engine.observed();
        let runtime = Runtime { name: name.into(), version: version.into(), binary: None };
        assert_eq!(found.runtime, Stated::Set(runtime));
        assert_eq!((found.context_length, found.isolation), (512.into(), Isolation::Attached.into()));
        assert_eq!((&found.weights, &found.quantization), (&Stated::Unknown, &Stated::Unknown));
    }
}

#[test]
fn a_server_that_says_nothing_of_itself_has_an_unknown_runtime() {
    let silent = ScriptedServer::new(|_| Answer::whole(404, "text/plain", "not here"));
    assert_eq!(opened(&at(&silent)).observed().runtime, Stated::Unknown);
}

#[test]
fn an_address_may_end_in_the_version_of_the_interface() {
    let server = owned("somebody", vec![]);
    for end in ["", "/", "/v1", "/v1/"] {
        let settings = settings(EngineKind::Openai, &format!("{}{end}", server.url()));
        ask(&settings, Path::new(".")).unwrap();
    }
    assert!(server.asked().iter().all(|asked| !asked.path.contains("//") && !asked.path.contains("/v1/v1")));
}

#[test]
fn a_model_that_the_server_does_not_serve_is_refused_with_those_it_does() {
    let server = owned("vllm", vec![]);
    for known in ["org/m", "m", "small"] {
        opened(&Settings { model: known.to_owned().into(), ..at(&server) });
    }
    let error = error_of(&Settings { model: "other".to_owned().into(), ..at(&server) });
    assert!(error.contains("serves no model `other`; name one that it serves: org/m"), "{error}");
}

#[test]
fn a_refused_setting_is_named_with_the_servers_words_and_a_remedy() {
    for (words, field, remedy) in [
        ("Unrecognized request argument supplied: chat_template_kwargs", "thinking", "`model_files`"),
        ("top_k is not supported", "top_k", "take it out"),
        (
            "request (50 tokens) exceeds the available context size (20 tokens)",
            "context_length",
            "longer context",
        ),
        ("no", "", "take out of the plan what the server refuses"),
    ] {
        let body = json!({ "error": { "message": words } }).to_string();
        let server = crate::support::asking::server(move |_| Answer::whole(400, "application/json", &body));
        let error = ask(&at(&server), Path::new(".")).unwrap_err();
        for part in [words, field, remedy, "status 400"] {
            assert!(error.contains(part), "`{part}` is missing in: {error}");
        }
    }
}

#[test]
fn a_limit_of_reasoning_goes_where_a_server_has_a_field_for_it() {
    let limited = |server: &ScriptedServer| Settings { thinking_budget: 40.into(), ..at(server) };
    let server = owned("vllm", vec![]);
    ask(&limited(&server), Path::new(".")).unwrap();
    assert_eq!(server.bodies(CHAT).pop().unwrap()["thinking_token_budget"], 40);
    let error = error_of(&limited(&owned("somebody", vec![])));
    assert!(error.contains("thinking_budget: no field of a `openai` server is known"), "{error}");
}

#[test]
fn a_key_comes_from_its_variable_and_goes_to_the_server_alone() {
    let server = owned("somebody", vec![]);
    // A variable that every test process has.
    let (variable, key) = ("CARGO_PKG_NAME", "planrun");
    let mut settings = at(&server);
    settings.api_key = variable.to_owned().into();
    if std::env::var(variable).is_ok_and(|value| value == key) {
        ask(&settings, Path::new(".")).unwrap();
        assert!(server.asked().iter().all(|asked| asked.header("authorization") == Some("Bearer planrun")));
        let refusing = ScriptedServer::new(|asked| {
            let repeated = asked.header("authorization").unwrap_or_default().to_owned();
            Answer::whole(401, "text/plain", &format!("bad key: {repeated}"))
        });
        settings.url = refusing.url().into();
        let error = error_of(&settings);
        assert!(error.contains("bad key: Bearer [key]"), "{error}");
        assert!(error.contains("the value of $CARGO_PKG_NAME was refused"), "{error}");
        assert!(!error.contains("name the environment variable"), "{error}");
    }
    settings.api_key = "PLANRUN_NO_SUCH_VARIABLE".to_owned().into();
    let error = error_of(&settings);
    assert!(error.contains("the environment variable PLANRUN_NO_SUCH_VARIABLE is not set"), "{error}");
}
