//! MLX-LM's and MLC-LLM's servers, against scripted peers that stream as the real ones do.

use crate::server_start::write_executable;
use crate::support::asking::{ask, event, send, settings};
use crate::support::pico_folder::pico_folder;
use crate::support::scripted_server::{Act, Answer, Framing, ScriptedServer};
use planrun::abilities::EngineKind;
use planrun::condition::{CacheState, Settings, Stated};
use planrun::engine;
use serde_json::{Value, json};
use std::path::Path;

/// `mlx_lm.server` 0.32: HTTP/1.0, comments while the prompt is read, counts in a message of another kind.
fn mlx() -> ScriptedServer {
    ScriptedServer::new(|asked| {
        if asked.path == "/health" {
            return Answer::json(&json!({ "status": "ok" }));
        }
        let body = asked.json();
        if body["stream"] != true {
            return Answer::json(
                &json!({ "system_fingerprint": "0.32.2-0.32.4-Linux-x86_64", "choices": [] }),
            );
        }
        let text = |text: &str, finish: &Value| {
            event(
                &json!({ "object": "text_completion", "choices": [{ "index": 0, "finish_reason": finish, "text": text }] }),
            )
        };
        let counts = json!({ "object": "chat.completion", "choices": [], "usage": { "prompt_tokens": count(&body),
            "completion_tokens": 2, "prompt_tokens_details": { "cached_tokens": 0 } } });
        let acts = vec![
            send(": keepalive 4/5\n\n"),
            text("one", &Value::Null),
            Act::Wait(crate::support::asking::GAP),
            text(" two", &json!("length")),
            event(&counts),
            send("data: [DONE]\n\n"),
        ];
        Answer { framing: Framing::Http10, ..Answer::events(acts) }
    })
}

/// Tokens of pico's tokenizer in the prompt.
fn count(body: &Value) -> usize {
    let tokenizer = planrun::engine::pico::assets().tokenizer.as_bytes();
    let vocabulary =
        planrun::engine::Vocabulary::read(tokenizer, Path::new("t").into(), Vec::new(), 512).unwrap();
    vocabulary.encode(body["prompt"].as_str().unwrap()).unwrap().len()
}

fn of_mlx(url: &str, folder: &Path) -> Settings {
    Settings {
        model: folder.display().to_string().into(),
        thinking: true.into(),
        ..settings(EngineKind::MlxLm, url)
    }
}

#[test]
fn mlx_lm_gets_the_rendered_text_and_says_what_was_cached() {
    let (server, folder) = (mlx(), pico_folder());
    let told = ask(&of_mlx(&server.url(), folder.path()), Path::new(".")).unwrap();
    assert_eq!(
        (told.item.text.as_str(), told.item.reply_tokens, told.item.decode_tokens),
        ("one two", Some(2), Some(1))
    );
    assert_eq!((told.item.cached_tokens, told.prefix_cache), (Some(0), Stated::Set(CacheState::Cold)));
    let asked = server.bodies("/v1/completions").pop().unwrap();
    assert_eq!(
        (&asked["model"], &asked["top_k"], &asked["min_p"]),
        (&json!("default_model"), &json!(0), &json!(0.0))
    );
    let engine = engine::open(&of_mlx(&server.url(), folder.path()), Path::new("."), None).unwrap();
    let runtime = engine.observed().runtime.get().unwrap().clone();
    assert_eq!((runtime.name.as_str(), runtime.version.as_str()), ("mlx_lm", "0.32.2-0.32.4-Linux-x86_64"));
    assert_eq!(engine.observed().weights, Stated::Unknown, "nobody has read what a running server holds");
}

fn launched(settings: Settings, program: &str) -> String {
    let folder = pico_folder();
    write_executable(&folder.path().join(program));
    let settings = Settings { program: format!("./{program}").into(), url: Stated::Unset, ..settings };
    let launch = engine::launch(&settings, folder.path(), 4711).unwrap().unwrap();
    launch.shown()
}

#[test]
fn servers_are_started_without_a_prefix_cache_unless_it_is_to_be_warm() {
    for (engine, program, cold) in [
        (EngineKind::MlxLm, "mlx_lm.server", "--prompt-cache-size 0"),
        (EngineKind::MlcLlm, "mlc_llm", "--prefix-cache-mode disable"),
    ] {
        let of = |state: Stated<CacheState>| Settings {
            model: ".".to_owned().into(),
            prefix_cache: state,
            arguments: vec!["--log-level".to_owned(), "DEBUG".to_owned()].into(),
            ..settings(engine, "")
        };
        let shown = launched(of(Stated::Unset), program);
        assert!(shown.contains("--host 127.0.0.1 --port 4711") && shown.contains(cold), "{shown}");
        assert!(shown.ends_with("--log-level DEBUG"), "{shown}");
        assert!(!launched(of(CacheState::Warm.into()), program).contains(cold));
    }
}

#[test]
fn mlc_llm_is_asked_by_the_name_it_serves() {
    let server = ScriptedServer::new(|asked| match asked.path.as_str() {
        "/v1/models" => Answer::json(&json!({ "data": [{ "id": "/models/m-MLC", "owned_by": "MLC-LLM" }] })),
        _ => Answer::json(&json!({ "system_fingerprint": "", "choices": [] })),
    });
    let opened = |model: &str| {
        let model = model.to_owned().into();
        engine::open(&Settings { model, ..settings(EngineKind::MlcLlm, &server.url()) }, Path::new("."), None)
    };
    let told = opened("another").err().unwrap().to_string();
    assert!(told.contains("serves no model `another`; name one that it serves: /models/m-MLC"), "{told}");
    let engine = opened("dist/m-MLC").unwrap();
    let asked = server.bodies("/v1/chat/completions").pop().unwrap();
    assert_eq!(asked["model"], "/models/m-MLC");
    assert_eq!(engine.observed().runtime, Stated::Unknown, "its fingerprint is empty");
}

#[test]
fn the_files_of_a_server_that_planrun_started_count_as_read() {
    let (server, folder) = (mlx(), pico_folder());
    let settings = Settings { url: Stated::Unset, ..of_mlx("", folder.path()) };
    let endpoint =
        engine::Endpoint { url: server.url(), process: 1, binary: Some("b".into()), load_s: Some(0.0) };
    let engine = engine::open(&settings, Path::new("."), Some(&endpoint)).unwrap();
    let found = engine.observed();
    assert!(found.weights.get().is_some() && found.source.get().is_some());
    assert_eq!((&found.file_format, found.isolation), (&"safetensors".to_owned().into(), Stated::Unknown));
    assert_eq!(found.runtime.get().unwrap().binary.as_deref(), Some("b"));
}
