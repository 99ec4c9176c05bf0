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
fn server(folder: &TempDir, slots: u32, events: Vec<Value>) -> ScriptedServer {
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
        _ => Answer::events(events.iter().map(event).collect::<Vec<Act>>()),
    })
}

fn opened(folder: &TempDir, server: &ScriptedServer) -> Result<Box<dyn Engine>, String> {
    let settings =
        Settings { model: "pico.gguf".to_owned().into(), ..settings(EngineKind::LlamaCpp, &server.url()) };
    engine::open(&settings, folder.path(), None).map_err(|error| error.to_string())
}

fn generate(kind: i32, events: Vec<Value>) -> Result<Generation, String> {
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
    let server = server(&folder, 1, vec![]);
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
    let server = server(&folder, 4, vec![]);
    let told = opened(&folder, &server).err().unwrap();
    assert!(told.contains("answers 4 requests at once; start it with `-np 1`"), "{told}");
}

#[test]
fn a_reply_without_any_token_is_empty() {
    let reply = generate(3, vec![last(0)]).unwrap();
    assert_eq!((reply.text.as_str(), reply.tokens, reply.speculation), ("", Some(0), None));
}

#[test]
fn without_all_ids_the_text_says_where_the_answer_starts() {
    // The second letter is split over two tokens, of which the first never arrives.
    let split = vec![token("a", &[2], 1), token("é", &[3], 3), last(3)];
    let reply = generate(4, split).unwrap();
    assert_eq!((reply.text.as_str(), &reply.ids, reply.times.first_answer), ("aé", &None, Some(0)));
}

#[test]
fn without_all_ids_a_model_with_unseen_marks_fails() {
    let told = generate(3, vec![token("é", &[3], 2), last(2)]).unwrap_err();
    assert!(told.contains("`</think>` are control tokens"), "{told}");
}

#[test]
fn a_server_that_never_stops_is_left() {
    let told = generate(3, (1..2000).map(|at| token("a", &[2], at)).collect()).unwrap_err();
    assert!(told.contains("although 4 tokens were to come"), "{told}");
}
