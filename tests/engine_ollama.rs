//! Ollama's own interface, against a scripted peer: no installed Ollama was asked.

use crate::server_start::write_executable;
use crate::support::asking::{GAP, Told, ask, settings};
use crate::support::pico_folder::pico_folder;
use crate::support::scripted_server::{Act, Answer, Framing, ScriptedServer};
use planrun::abilities::EngineKind;
use planrun::condition::{Isolation, Settings, Stated};
use planrun::engine;
use planrun::fingerprint;
use planrun::generation::StopReason;
use serde_json::{Value, json};
use std::path::Path;

/// A server that streams these lines, with a gap before each.
fn server(lines: Vec<Value>) -> ScriptedServer {
    described(lines, &"0".repeat(64))
}

/// The same, whose model's weights have this hash.
fn described(lines: Vec<Value>, weights: &str) -> ScriptedServer {
    let recipe = format!("# Modelfile\nFROM /models/blobs/sha256-{weights}\nTEMPLATE x\n");
    ScriptedServer::new(move |asked| match asked.path.as_str() {
        "/api/version" => Answer::json(&json!({ "version": "0.12.6" })),
        "/api/show" => Answer::json(&json!({
            "modelfile": recipe, "template": "{{ .Prompt }}",
            "details": { "format": "gguf", "quantization_level": "Q4_K_M" },
        })),
        "/api/tags" => Answer::json(&json!({ "models": [{ "name": "m:latest", "digest": "abc" }] })),
        "/api/ps" => Answer::json(&json!({ "models": [{ "name": "m:latest", "context_length": 2048 }] })),
        _ if asked.json()["stream"] == false => Answer::json(&json!({ "done": true, "done_reason": "load" })),
        _ => {
            let line = |line: &Value| [Act::Wait(GAP), Act::Send(format!("{line}\n").into_bytes())];
            let acts = lines.iter().flat_map(line).collect();
            let headers = vec![("Content-Type", "application/x-ndjson".to_owned())];
            Answer { status: 200, headers, framing: Framing::Chunked, acts }
        }
    })
}

fn at(server: &ScriptedServer) -> Settings {
    settings(EngineKind::Ollama, &server.url())
}

fn told(lines: Vec<Value>) -> Result<Told, String> {
    ask(&at(&server(lines)), Path::new("."))
}

fn says(text: &str) -> Value {
    json!({ "message": { "role": "assistant", "content": text }, "done": false })
}

fn thinks(text: &str) -> Value {
    json!({ "message": { "role": "assistant", "content": "", "thinking": text }, "done": false })
}

/// The last line, with these fields over what it usually has.
fn done(fields: &Value) -> Value {
    let mut line = json!({
        "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop",
        "total_duration": 90_000_000, "load_duration": 1_000_000, "prompt_eval_count": 5,
        "prompt_eval_duration": 2_000_000, "eval_count": 3, "eval_duration": 40_000_000,
    });
    for (name, value) in fields.as_object().unwrap() {
        line[name] = value.clone();
    }
    line
}

#[test]
fn lines_are_deliveries_and_durations_are_nanoseconds() {
    let told = told(vec![says("one"), says(" two"), done(&json!({}))]).unwrap();
    assert_eq!((told.item.text.as_str(), told.item.stop), ("one two", Some(StopReason::Eos)));
    assert_eq!((told.item.reply_tokens, told.item.decode_tokens), (Some(3), Some(2)));
    assert_eq!((told.item.prompt_tokens, told.item.prefill_s), (Some(5), Some(0.002)));
    assert_eq!(told.measured(&["ttft", "itl", "icl", "decode_tok_s"]), ["ttft", "itl", "decode_tok_s"]);
    // How many of them were cached it does not say.
    assert_eq!((told.item.cached_tokens, told.prefix_cache), (None, Stated::Unknown));
    assert_eq!(told.metric("prefill_tok_s"), None);
}

#[test]
fn a_prompt_that_was_cached_whole_has_no_count_and_no_time() {
    let told =
        told(vec![says("one"), done(&json!({ "prompt_eval_count": null, "prompt_eval_duration": 9 }))])
            .unwrap();
    assert_eq!((told.item.prompt_tokens, told.item.cached_tokens, told.item.prefill_s), (None, None, None));
}

#[test]
fn thinking_that_used_up_the_limit_is_no_answer() {
    let ended = done(&json!({ "done_reason": "length", "eval_count": 8 }));
    let told = told(vec![thinks("Let me"), thinks(" think"), ended]).unwrap();
    assert_eq!((told.item.text.as_str(), told.item.answer.as_deref()), ("<think>\nLet me think", None));
    assert_eq!(
        (told.item.stop, told.item.reply_tokens, told.item.ttfo_s),
        (Some(StopReason::Length), Some(8), None)
    );
}

#[test]
fn why_a_reply_ended_is_read_with_its_count() {
    for (fields, stop) in [
        (json!({ "done_reason": "length", "eval_count": 8 }), StopReason::Length),
        (json!({ "done_reason": "length", "eval_count": 3 }), StopReason::Context),
        (json!({ "done_reason": null, "eval_count": 3 }), StopReason::Eos),
        (json!({ "done_reason": null, "eval_count": 8 }), StopReason::Length),
    ] {
        assert_eq!(told(vec![says("one"), done(&fields)]).unwrap().item.stop, Some(stop), "{fields}");
    }
    let error = told(vec![done(&json!({ "done_reason": "load" }))]).unwrap_err();
    assert!(error.contains("loaded the model and answered nothing"), "{error}");
}

#[test]
fn an_error_line_and_an_end_without_one_are_failures() {
    let error = told(vec![says("one"), json!({ "error": "out of memory" })]).unwrap_err();
    assert!(error.contains("an error in the middle of its answer: out of memory"), "{error}");
    let error = told(vec![says("one")]).unwrap_err();
    assert!(error.contains("no line said that the reply is done"), "{error}");
}

#[test]
fn everything_that_decides_a_reply_is_stated() {
    let server = server(vec![says("one"), done(&json!({}))]);
    let mut settings = at(&server);
    settings.context_length = 2048.into();
    settings.threads = 2.into();
    settings.placement = "num_gpu=0".to_owned().into();
    settings.thinking = false.into();
    ask(&settings, Path::new(".")).unwrap();
    let asked = server.bodies("/api/chat").pop().unwrap();
    let options = json!({
        "num_ctx": 2048, "num_thread": 2, "num_gpu": 0, "temperature": 0.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0,
        "repeat_penalty": 1.0, "seed": 0, "num_predict": 8,
    });
    assert_eq!(
        (&asked["options"], &asked["think"], &asked["truncate"]),
        (&options, &json!(false), &json!(false))
    );
    assert_eq!(asked["messages"], json!([{ "role": "user", "content": "Hi" }]));
    // It was loaded with the same window, before the first question.
    let loading = server.bodies("/api/generate").remove(0);
    assert_eq!((&loading["options"]["num_ctx"], &loading["prompt"]), (&json!(2048), &Value::Null));
}

#[test]
fn a_grade_of_thinking_is_sent_in_place_of_the_switch() {
    let server = server(vec![says("one"), done(&json!({}))]);
    let settings = Settings { thinking_effort: "low".to_owned().into(), ..at(&server) };
    ask(&settings, Path::new(".")).unwrap();
    let asked = server.bodies("/api/chat").pop().unwrap();
    assert_eq!((&asked["think"], &asked["options"]["num_ctx"]), (&json!("low"), &json!(4096)));
}

#[test]
fn the_model_is_known_by_its_digest_and_its_weights() {
    let server = server(vec![]);
    let engine = engine::open(&at(&server), Path::new("."), None).unwrap();
    let found = engine.observed();
    assert_eq!(found.source, "ollama:m@abc".to_owned().into());
    assert_eq!((&found.weights, &found.file_format), (&"0".repeat(64).into(), &"gguf".to_owned().into()));
    assert_eq!(found.quantization, "q4_k_m".to_owned().into());
    assert_eq!(found.chat_template, fingerprint::of_bytes(b"{{ .Prompt }}").into());
    assert_eq!((found.context_length, found.isolation), (2048.into(), Isolation::Attached.into()));
    assert_eq!(found.runtime.get().map(|runtime| runtime.version.as_str()), Some("0.12.6"));
}

#[test]
fn files_with_the_very_bytes_that_the_server_holds_say_everything_of_the_model() {
    let folder = pico_folder();
    let weights = fingerprint::of_bytes(planrun::engine::pico::assets().weights);
    let opened = |server: &ScriptedServer| {
        let settings = Settings { model_files: folder.path().display().to_string().into(), ..at(server) };
        engine::open(&settings, Path::new("."), None).unwrap().observed().clone()
    };
    let same = opened(&described(vec![], &weights));
    assert_eq!((same.file_format, same.weights), ("safetensors".to_owned().into(), weights.into()));
    let other = opened(&server(vec![]));
    assert_eq!(other.weights, "0".repeat(64).into());
    assert!(other.tokenizer.get().is_some(), "prompts are written by the files");
}

#[test]
fn a_prompt_that_no_tokenizer_could_make_so_short_was_cut() {
    let server = server(vec![says("one"), done(&json!({ "prompt_eval_count": 2 }))]);
    let settings = Settings { system_prompt: "word ".repeat(40).into(), ..at(&server) };
    let error = ask(&settings, Path::new(".")).unwrap_err();
    assert!(error.contains("read 2 tokens of a prompt of 162 letters, with a context of 4096"), "{error}");
}

#[test]
fn what_a_running_server_has_chosen_cannot_be_asked_for() {
    let settings = Settings { kv_cache_dtype: "q8_0".to_owned().into(), ..at(&server(vec![])) };
    let error = engine::open(&settings, Path::new("."), None).err().unwrap().to_string();
    assert!(error.contains("kv_cache_dtype: a server that runs already has chosen it"), "{error}");
}

#[test]
fn a_server_is_started_with_its_window_kept_to_one_request() {
    let folder = tempfile::tempdir().unwrap();
    write_executable(&folder.path().join("ollama"));
    let settings = Settings {
        engine: EngineKind::Ollama.into(),
        model: "m".to_owned().into(),
        program: "./ollama".to_owned().into(),
        kv_cache_dtype: "q8_0".to_owned().into(),
        ..Settings::default()
    };
    let launch = engine::launch(&settings, folder.path(), 4711).unwrap().unwrap();
    assert_eq!((launch.arguments.as_slice(), launch.ready), (&["serve".to_owned()][..], "/api/version"));
    let shown = launch.shown();
    for part in [
        "OLLAMA_HOST=127.0.0.1:4711",
        "OLLAMA_NUM_PARALLEL=1",
        "OLLAMA_KV_CACHE_TYPE=q8_0",
        "OLLAMA_FLASH_ATTENTION=1",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
}

#[test]
fn what_a_server_was_only_told_stays_unknown_and_its_memory_is_nobodys() {
    let server = server(vec![]);
    let settings = Settings {
        url: Stated::Unset,
        kv_cache_dtype: "q8_0".to_owned().into(),
        threads: 2.into(),
        ..at(&server)
    };
    let endpoint = engine::Endpoint {
        url: server.url(),
        process: std::process::id(),
        binary: Some("b".into()),
        load_s: Some(0.0),
    };
    let engine = engine::open(&settings, Path::new("."), Some(&endpoint)).unwrap();
    let found = engine.observed();
    assert_eq!((&found.kv_cache_dtype, found.threads), (&Stated::Unknown, Stated::Unknown));
    assert_eq!(found.runtime.get().unwrap().binary.as_deref(), Some("b"));
    assert_eq!((found.isolation, engine.process()), (Stated::Unknown, None));
}

#[test]
fn a_model_of_another_machine_and_the_window_of_another_model_are_not_taken() {
    let cloud = ScriptedServer::new(|asked| match asked.path.as_str() {
        "/api/show" => Answer::json(&json!({ "modelfile": "", "remote_host": "https://ollama.com:443" })),
        _ => Answer::json(&json!({ "version": "0.12.6", "models": [] })),
    });
    let told = engine::open(&at(&cloud), Path::new("."), None).err().unwrap().to_string();
    assert!(told.contains("does not run `m` itself: it asks https://ollama.com:443"), "{told}");
    let server = server(vec![]);
    let settings = Settings { model: "other".to_owned().into(), ..at(&server) };
    let engine = engine::open(&settings, Path::new("."), None).unwrap();
    assert_eq!(engine.observed().context_length, Stated::Unknown);
}

#[test]
fn a_schema_goes_as_the_format_of_the_reply() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.json"), "{\"type\": \"array\"}").unwrap();
    let server = server(vec![says("{}"), done(&json!({}))]);
    let settings = Settings { json_schema: "s.json".to_owned().into(), ..at(&server) };
    let told = ask(&settings, folder.path()).unwrap_err();
    assert!(
        told.contains("did not keep to `json_schema`: at its root: {} is not of type \"array\""),
        "{told}"
    );
    assert_eq!(server.bodies("/api/chat").pop().unwrap()["format"], json!({ "type": "array" }));
}
