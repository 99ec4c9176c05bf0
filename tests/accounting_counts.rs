//! Counts and times that come from the server. The table of all cases: `docs/accounting.md`.

use crate::support::asking::{
    Told, answered, apart, ask, delta, done, event, finish, says, server, settings, streamed, usage,
};
use crate::support::pico_folder::pico_folder;
use crate::support::scripted_server::{Act, Answer, ScriptedServer};
use planrun::abilities::EngineKind;
use planrun::condition::{CacheState, Stated};
use serde_json::{Value, json};
use std::path::Path;

fn ended(last: Vec<Act>) -> Vec<Act> {
    apart([says("one"), says(" two"), says(" three")].into_iter().chain(last).collect())
}

fn counted(usage: &Value) -> Act {
    event(&json!({ "choices": [], "usage": usage }))
}

#[test]
fn counts_come_last_with_no_choices() {
    let told = streamed(ended(vec![finish("length"), usage(5, 3), done()])).unwrap();
    assert_eq!((told.item.prompt_tokens, told.item.reply_tokens), (Some(5), Some(3)));
    let last = told.item.ttft_s.unwrap() + told.item.decode_s.unwrap();
    assert!((told.item.full_s.unwrap() - last).abs() < 1e-9, "the message with the counts is no token");
}

#[test]
fn counts_come_in_the_message_that_ends_the_reply() {
    let both = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "length" }],
        "usage": { "prompt_tokens": 5, "completion_tokens": 3 } });
    let told = streamed(ended(vec![event(&both), done()])).unwrap();
    assert_eq!((told.item.prompt_tokens, told.item.reply_tokens), (Some(5), Some(3)));
}

#[test]
fn running_counts_are_overtaken_by_the_last() {
    let with = |text: &str, count: u32| {
        let mut message = delta(&json!({ "content": text }));
        message["usage"] = json!({ "prompt_tokens": 5, "completion_tokens": count });
        event(&message)
    };
    let told = streamed(apart(vec![with("one", 1), with(" two", 2), finish("length"), done()])).unwrap();
    assert_eq!((told.item.reply_tokens, told.item.decode_tokens), (Some(2), Some(1)));
}

#[test]
fn without_counts_no_token_is_counted() {
    let told = streamed(ended(vec![finish("stop"), done()])).unwrap();
    assert_eq!(
        (told.item.prompt_tokens, told.item.reply_tokens, told.item.decode_tokens),
        (None, None, None)
    );
    assert_eq!(told.measured(&["ttft", "itl", "icl", "decode_tok_s", "reply_tokens"]), ["ttft", "icl"]);
}

#[test]
fn hidden_reasoning_leaves_the_rate_unknown() {
    let counts = json!({ "prompt_tokens": 5, "completion_tokens": 203,
        "completion_tokens_details": { "reasoning_tokens": 200 } });
    let told = streamed(ended(vec![finish("stop"), counted(&counts), done()])).unwrap();
    assert_eq!((told.item.reply_tokens, told.item.decode_tokens), (Some(203), None));
    assert_eq!(
        told.measured(&["ttft", "itl", "icl", "decode_tok_s", "reply_tokens"]),
        ["ttft", "icl", "reply_tokens"]
    );
}

/// llama-server's own times beside three tokens.
fn timed(prompt_ms: f64) -> Told {
    let last = json!({ "choices": [], "usage": { "prompt_tokens": 5, "completion_tokens": 3 },
        "timings": { "cache_n": 1, "prompt_n": 4, "prompt_ms": prompt_ms, "predicted_n": 3, "predicted_ms": 40.0 } });
    streamed(ended(vec![finish("length"), event(&last), done()])).unwrap()
}

#[test]
fn a_servers_own_times_stand_beside_the_clients() {
    let told = timed(2.0);
    assert_eq!((told.item.prefill_s, told.item.cached_tokens), (Some(0.002), Some(1)));
    assert!(
        (told.metric("prefill_tok_s").unwrap() - 2000.0).abs() < 1e-6,
        "four fresh tokens in two milliseconds"
    );
    assert!((told.metric("engine_decode_tok_s").unwrap() - 50.0).abs() < 1e-6, "two passes in forty");
    assert_ne!(told.metric("decode_tok_s"), told.metric("engine_decode_tok_s"));
    assert!(told.warnings.iter().all(|warning| !warning.contains("left out")), "{told:?}");
}

#[test]
fn a_servers_prefill_beyond_the_clients_first_token_is_left_out_by_name() {
    let told = timed(9_000.0);
    assert_eq!(told.metric("prefill_tok_s"), None);
    assert!(
        told.warnings.iter().any(|warning| warning.contains("prefill_s 9 is longer than ttft_s")),
        "{told:?}"
    );
    assert!(told.metric("ttft").is_some(), "the client's own clock stands");
}

#[test]
fn drafted_tokens_are_counted_and_give_no_rate_of_passes() {
    let last = json!({ "choices": [], "usage": { "prompt_tokens": 5, "completion_tokens": 3 },
        "timings": { "prompt_ms": 1.0, "predicted_n": 3, "predicted_ms": 4.0, "draft_n": 4, "draft_n_accepted": 2 } });
    let told = streamed(ended(vec![finish("length"), event(&last), done()])).unwrap();
    assert_eq!((told.item.drafted, told.item.accepted, told.item.steps), (Some(4), Some(2), None));
    assert_eq!(told.measured(&["itl", "icl", "engine_decode_tok_s", "decode_tok_s"]), ["decode_tok_s"]);
}

#[test]
fn a_cached_prompt_without_a_count_has_no_prefill_rate() {
    let none = json!({ "prompt_tokens": 5, "completion_tokens": 3, "prompt_tokens_details": null });
    let told = streamed(ended(vec![finish("length"), counted(&none), done()])).unwrap();
    assert_eq!((told.item.cached_tokens, told.prefix_cache), (None, Stated::Unknown));
    assert_eq!(told.metric("prefill_tok_s"), None);
}

#[test]
fn a_cached_prompt_with_a_count_is_warm() {
    let some = json!({ "prompt_tokens": 5, "completion_tokens": 3, "prompt_tokens_details": { "cached_tokens": 4 } });
    let told = streamed(ended(vec![finish("length"), counted(&some), done()])).unwrap();
    assert_eq!((told.item.cached_tokens, told.prefix_cache), (Some(4), Stated::Set(CacheState::Warm)));
}

/// A message of a server that shows ids.
fn shown(text: &str, ids: &[u32], finish: &Value) -> Act {
    event(&json!({ "choices": [{ "index": 0, "text": text, "token_ids": ids, "finish_reason": finish }] }))
}

#[test]
fn ids_say_how_many_tokens_a_piece_carries() {
    let acts = vec![
        shown("one", &[7], &Value::Null),
        shown(" two three", &[8, 9], &Value::Null),
        shown("", &[2], &json!("stop")),
        usage(5, 4),
        done(),
    ];
    let told = streamed(apart(acts)).unwrap();
    assert_eq!(told.item.ids, Some(vec![7, 8, 9, 2]));
    assert_eq!((told.item.reply_tokens, told.item.decode_tokens), (Some(4), Some(3)));
    assert_eq!(told.measured(&["itl", "icl", "decode_tok_s"]), ["icl", "decode_tok_s"]);
}

#[test]
fn ids_and_a_count_that_disagree_are_no_measurement() {
    let acts = vec![shown("one", &[7], &json!("length")), usage(5, 4), done()];
    let error = streamed(apart(acts)).unwrap_err();
    assert!(error.contains("sent 1 token ids and counts 4 tokens"), "{error}");
}

/// A server that shows ids of pico's tokenizer beside a text.
fn spelled(text: &'static str, ids: Vec<u32>) -> (ScriptedServer, tempfile::TempDir) {
    let folder = pico_folder();
    let server = server(move |asked| {
        let body = asked.json();
        let prompt = body["prompt"].as_str().map_or(0, str::len);
        assert!(prompt > 0, "the text is sent where it is not known that ids are taken");
        let acts = vec![shown(text, &ids, &json!("length")), done()];
        Answer::events(acts)
    });
    (server, folder)
}

fn ask_spelled(text: &'static str, ids: Vec<u32>) -> Result<Told, String> {
    let (server, folder) = spelled(text, ids);
    let mut settings = settings(EngineKind::Openai, &server.url());
    settings.model_files = folder.path().display().to_string().into();
    settings.thinking = false.into();
    ask(&settings, Path::new("."))
}

#[test]
fn ids_and_text_that_disagree_are_no_measurement() {
    let folder = tempfile::tempdir().unwrap();
    let tokenizer = planrun::engine::pico::assets().tokenizer;
    let vocabulary =
        planrun::engine::Vocabulary::read(tokenizer.as_bytes(), folder.path().to_owned(), Vec::new(), 512)
            .unwrap();
    let ids = vocabulary.encode("12 + 3").unwrap();
    assert_eq!(ask_spelled("12 + 3", ids.clone()).unwrap().item.text, "12 + 3");
    let error = ask_spelled("99 - 7", ids).unwrap_err();
    assert!(error.contains("spell `12 + 3`, and its text is `99 - 7`"), "{error}");
}

#[test]
fn a_whole_answer_instead_of_a_stream_is_refused() {
    let whole = json!({ "choices": [{ "message": { "content": "one" }, "finish_reason": "stop" }] });
    let error = answered(Answer::json(&whole)).unwrap_err();
    assert!(
        error.contains("a stream of events was asked for, and the answer is `application/json`"),
        "{error}"
    );
}
