//! A `llama-server` that runs already, played by a scripted peer.

use crate::engine_gguf::pico_as_gguf;
use crate::support::asking::{event, settings};
use crate::support::gguf::Value as Gguf;
use crate::support::scripted_server::{Act, Answer, ScriptedServer};
use planrun::abilities::EngineKind;
use planrun::condition::{Settings, Stated};
use planrun::engine::gguf::Gguf as File;
use planrun::engine::{self, Engine, Vocabulary};
use planrun::generation::{Generation, Prompt, Request, Sampling};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The type of 32-bit integers in GGUF.
const INTEGERS: u32 = 5;

/// A model whose added tokens are of this kind (3: control, 4: user-defined).
fn folder(kind: i32) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let kinds = (0..512).map(|id| Gguf::I32(if id >= 500 { kind } else { 1 })).collect();
    let model = pico_as_gguf().instead("tokenizer.ggml.token_type", Gguf::Array(INTEGERS, kinds));
    model.write(folder.path(), "pico.gguf");
    folder
}

/// Answers with these events, and says that it has so many slots.
fn server(folder: &TempDir, slots: u32, events: &[Value]) -> ScriptedServer {
    answering(folder, slots, Answer::events(events.iter().map(event).collect::<Vec<Act>>()))
}

fn answering(folder: &TempDir, slots: u32, answer: Answer) -> ScriptedServer {
    let file = File::open(&folder.path().join("pico.gguf")).unwrap();
    let vocabulary = Vocabulary::from_gguf(&file, usize::MAX).unwrap();
    ScriptedServer::new(move |asked| match asked.path.as_str() {
        "/props" => Answer::json(&json!({
            "build_info": "b1", "total_slots": slots, "model_path": "/elsewhere/pico.gguf",
            "default_generation_settings": { "n_ctx": 512 },
        })),
        "/tokenize" => {
            let text = asked.json()["content"].as_str().unwrap().to_owned();
            Answer::json(&json!({ "tokens": vocabulary.encode(&text).unwrap() }))
        }
        _ => answer.clone(),
    })
}

fn opened(folder: &TempDir, server: &ScriptedServer) -> Result<Box<dyn Engine>, String> {
    let settings =
        Settings { model: "pico.gguf".to_owned().into(), ..settings(EngineKind::LlamaCpp, &server.url()) };
    engine::open(&settings, folder.path(), None).map_err(|error| error.to_string())
}

fn generate(kind: i32, events: &[Value]) -> Result<Generation, String> {
    let folder = folder(kind);
    let server = server(&folder, 1, events);
    let mut engine = opened(&folder, &server)?;
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
    let prompt = Prompt { text: "a".into(), ids: Some(vec![1]), chat: None };
    let request = Request { prompt, max_tokens: 4, sampling, ignore_eos: false };
    engine.generate(&request).map_err(|error| error.to_string())
}

fn token(content: &str, ids: &[u32], predicted: u32) -> Value {
    json!({ "content": content, "tokens": ids, "stop": false, "tokens_predicted": predicted })
}

fn last(predicted: u32) -> Value {
    json!({
        "content": "", "tokens": [], "stop": true, "stop_type": "eos", "truncated": false,
        "tokens_predicted": predicted, "tokens_evaluated": 1,
        "timings": { "cache_n": 0, "prompt_ms": 1.0, "predicted_n": predicted, "predicted_ms": 2.0, "draft_n": 0,
            "draft_n_accepted": 0 },
    })
}

#[test]
fn what_a_server_of_somebody_else_holds_as_weights_is_unknown() {
    let folder = folder(3);
    let server = server(&folder, 1, &[]);
    let engine = opened(&folder, &server).unwrap();
    let found = engine.observed();
    assert_eq!((&found.weights, &found.source), (&Stated::Unknown, &Stated::Unknown));
    assert_eq!((&found.quantization, &found.bits_per_weight), (&Stated::Unknown, &Stated::Unknown));
    assert!(found.tokenizer.get().is_some(), "prompts are written with the file's own");
    assert!(engine.is_elsewhere());
}

#[test]
fn a_server_that_answers_several_at_once_is_refused() {
    let folder = folder(3);
    let server = server(&folder, 4, &[]);
    let told = opened(&folder, &server).err().unwrap();
    assert!(told.contains("answers 4 requests at once; start it with `-np 1`"), "{told}");
}

#[test]
fn a_reply_without_any_token_is_empty() {
    let reply = generate(3, &[last(0)]).unwrap();
    assert_eq!((reply.text.as_str(), reply.tokens, reply.speculation), ("", Some(0), None));
}

#[test]
fn without_all_ids_the_text_says_where_the_answer_starts() {
    // The second letter is split over two tokens, of which the first never arrives.
    let split = [token("a", &[2], 1), token("é", &[3], 3), last(3)];
    let reply = generate(4, &split).unwrap();
    assert_eq!((reply.text.as_str(), &reply.ids, reply.times.first_answer), ("aé", &None, Some(0)));
}

#[test]
fn without_all_ids_a_model_with_unseen_marks_fails() {
    let told = generate(3, &[token("é", &[3], 2), last(2)]).unwrap_err();
    assert!(told.contains("`</think>` are control tokens"), "{told}");
}

#[test]
fn a_server_that_never_stops_is_left() {
    let told = generate(3, &(1..2000).map(|at| token("a", &[2], at)).collect::<Vec<_>>()).unwrap_err();
    assert!(told.contains("although 4 tokens were to come"), "{told}");
}

#[test]
fn a_schema_or_a_grammar_goes_with_each_request_and_replies_are_checked() {
    let folder = folder(3);
    std::fs::write(folder.path().join("s.json"), "{\"type\": \"object\"}").unwrap();
    std::fs::write(folder.path().join("g.gbnf"), "root ::= \"a\"").unwrap();
    let server = server(&folder, 1, &[token("", &[2], 1), last(1)]);
    let ask = |change: &dyn Fn(&mut Settings)| {
        let mut settings = Settings {
            model: "pico.gguf".to_owned().into(),
            ..settings(EngineKind::LlamaCpp, &server.url())
        };
        change(&mut settings);
        let mut engine = engine::open(&settings, folder.path(), None).unwrap();
        let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
        let prompt = Prompt { text: "a".into(), ids: Some(vec![1]), chat: None };
        let request = Request { prompt, max_tokens: 4, sampling, ignore_eos: false };
        (engine.generate(&request), server.bodies("/completion").pop().unwrap())
    };
    let (reply, asked) = ask(&|settings| settings.json_schema = "s.json".to_owned().into());
    assert_eq!(asked["json_schema"], json!({ "type": "object" }));
    assert!(reply.unwrap_err().to_string().contains("the engine did not keep to `json_schema`"));
    let (reply, asked) = ask(&|settings| settings.grammar = "g.gbnf".to_owned().into());
    assert_eq!((&asked["grammar"], reply.is_ok()), (&json!("root ::= \"a\""), true));
    let (_, asked) = ask(&|_| {});
    assert!(asked.get("grammar").is_none() && asked.get("json_schema").is_none());
}

#[test]
fn a_grammar_that_the_server_cannot_read_is_told_as_the_setting() {
    let folder = folder(3);
    std::fs::write(folder.path().join("g.gbnf"), "root ::= \"a").unwrap();
    let body = json!({ "error": { "code": 400, "message": "failed to parse grammar" } }).to_string();
    let server = answering(&folder, 1, Answer::whole(400, "application/json", &body));
    let settings = Settings {
        model: "pico.gguf".to_owned().into(),
        grammar: "g.gbnf".to_owned().into(),
        ..settings(EngineKind::LlamaCpp, &server.url())
    };
    let mut engine = engine::open(&settings, folder.path(), None).unwrap();
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
    let prompt = Prompt { text: "a".into(), ids: Some(vec![1]), chat: None };
    let request = Request { prompt, max_tokens: 4, sampling, ignore_eos: false };
    let told = engine.generate(&request).unwrap_err().to_string();
    assert!(
        told.starts_with("grammar: the server refuses it") && told.contains("mend the grammar"),
        "{told}"
    );
}

#[test]
fn a_draft_model_is_known_by_its_bytes_and_not_by_the_name_of_its_file() {
    let folder = folder(3);
    let server = server(&folder, 1, &[]);
    let guessing = |words: Option<&str>| {
        let settings = Settings {
            model: "pico.gguf".to_owned().into(),
            speculation: words.map_or(Stated::Unset, |words| Stated::Set(words.to_owned())),
            ..settings(EngineKind::LlamaCpp, "")
        };
        let settings = Settings { url: Stated::Unset, ..settings };
        let endpoint =
            engine::Endpoint { url: server.url(), process: 1, binary: Some("b".into()), load_s: Some(0.0) };
        engine::open(&settings, folder.path(), Some(&endpoint)).unwrap().observed().speculation.clone()
    };
    std::fs::copy(folder.path().join("pico.gguf"), folder.path().join("same.gguf")).unwrap();
    let other = pico_as_gguf().instead("general.name", Gguf::Text("another"));
    other.write(folder.path(), "other.gguf");
    let first = guessing(Some("draft:pico.gguf"));
    let hash = planrun::fingerprint::of_file(&folder.path().join("pico.gguf")).unwrap();
    assert_eq!(first, Stated::Set(format!("draft:{hash}")));
    assert_eq!(guessing(Some("draft:same.gguf")), first);
    assert_ne!(guessing(Some("draft:other.gguf")), first);
    assert_eq!(guessing(Some("ngram:4")), Stated::Set("ngram:4".to_owned()));
    assert_eq!(guessing(None), Stated::Unset);
}
