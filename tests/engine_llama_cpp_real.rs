//! The contract of an engine against a real `llama-server`: `PLANRUN_TEST_LLAMA_SERVER` names the program, and
//! `PLANRUN_TEST_GGUF` a small chat model. Where they are not set, these tests say that they were skipped.

use crate::support::environment::named;
use planrun::abilities::EngineKind;
use planrun::condition::{CacheState, Settings, Stated};
use planrun::engine::http::Client;
use planrun::engine::{CandleEngine, Endpoint, Engine, EngineError, launch, open};
use planrun::generation::{Generation, Message, Prompt, Request, Role, Sampling, StopReason};
use serde_json::json;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Largest difference of a first token's log-probability between the two engines' kernels, in nats: in `q4_1` one rounds what
/// it multiplies to 8 bits, and the less likely a token is the more that shows.
const TOLERANCE: f64 = 0.25;

struct Real {
    server: Child,
    url: String,
    engine: Box<dyn Engine>,
}

impl Drop for Real {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn settings() -> Option<Settings> {
    let [program, model] = named(["PLANRUN_TEST_LLAMA_SERVER", "PLANRUN_TEST_GGUF"])?;
    Some(Settings {
        engine: EngineKind::LlamaCpp.into(),
        program: program.into(),
        model: model.into(),
        kv_cache_dtype: "f32".to_owned().into(),
        context_length: 512.into(),
        ..Settings::default()
    })
}

fn start(settings: &Settings) -> Real {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let how = launch(settings, Path::new(""), port).unwrap().unwrap();
    let mut command = Command::new(&how.program);
    let server = command.args(&how.arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let url = format!("http://127.0.0.1:{port}");
    let (client, begun) = (Client::new(&url, None), Instant::now());
    while client.get(how.ready).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the server is not ready");
        std::thread::sleep(Duration::from_millis(20));
    }
    let endpoint =
        Endpoint { url: url.clone(), process: server.id(), binary: "0".repeat(64), load_s: Some(0.0) };
    let engine = open(settings, Path::new(""), Some(&endpoint)).unwrap();
    Real { server, url, engine }
}

fn question(engine: &dyn Engine) -> Prompt {
    let message = Message { role: Role::User, content: "What is the capital of Germany?".to_owned() };
    engine.render(&[message], Stated::Unset).unwrap()
}

fn ask(
    engine: &mut dyn Engine,
    prompt: Prompt,
    max_tokens: u32,
    ignore_eos: bool,
) -> Result<Generation, EngineError> {
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 1 };
    engine.generate(&Request { prompt, max_tokens, sampling, ignore_eos })
}

#[test]
fn a_greedy_reply_repeats_token_by_token_and_is_cold() {
    let Some(settings) = settings() else { return };
    let mut real = start(&settings);
    let prompt = question(real.engine.as_ref());
    let mut replies = Vec::new();
    for _ in 0..2 {
        replies.push(ask(real.engine.as_mut(), prompt.clone(), 16, false).unwrap());
    }
    assert!(replies[0].ids.is_some());
    assert_eq!(replies[0].ids, replies[1].ids);
    for reply in &replies {
        assert_eq!(reply.cached_tokens, Some(0));
        assert_eq!(reply.prompt_tokens, prompt.ids.as_ref().map(|ids| ids.len() as u32));
        let delivered: Option<u32> = reply.times.deliveries.iter().map(|delivery| delivery.tokens).sum();
        assert_eq!(delivered, reply.tokens);
        let ttft = reply.times.deliveries[0].at;
        assert!(reply.times.prefill.is_some_and(|prefill| prefill > 0.0 && prefill < ttft));
        assert_eq!(reply.times.compute.map(|compute| compute.steps + 1), reply.tokens);
    }
}

#[test]
fn a_warm_prompt_is_counted() {
    let Some(settings) = settings() else { return };
    let mut real = start(&Settings { prefix_cache: CacheState::Warm.into(), ..settings });
    let prompt = question(real.engine.as_ref());
    assert_eq!(ask(real.engine.as_mut(), prompt.clone(), 2, false).unwrap().cached_tokens, Some(0));
    let warm = ask(real.engine.as_mut(), prompt.clone(), 2, false).unwrap();
    assert_eq!(warm.cached_tokens, prompt.ids.map(|ids| ids.len() as u32 - 1));
}

#[test]
fn ends_limits_and_a_full_context_are_told_apart() {
    let Some(settings) = settings() else { return };
    let mut real = start(&Settings { context_length: 256.into(), ..settings });
    let prompt = question(real.engine.as_ref());
    let ended = ask(real.engine.as_mut(), prompt.clone(), 100, false).unwrap();
    assert_eq!(ended.stop, StopReason::Eos);
    assert_eq!(ended.ids.map(|ids| ids.len() as u32), ended.tokens, "the EOS counts");
    let cut = ask(real.engine.as_mut(), prompt.clone(), 3, false).unwrap();
    assert_eq!((cut.stop, cut.tokens), (StopReason::Length, Some(3)));
    let fixed = ask(real.engine.as_mut(), prompt.clone(), 40, true).unwrap();
    assert_eq!((fixed.stop, fixed.tokens), (StopReason::Length, Some(40)));
    let full = ask(real.engine.as_mut(), prompt, 1000, true).unwrap();
    assert_eq!(full.stop, StopReason::Context);
}

#[test]
fn a_prompt_that_does_not_fit_is_an_error_with_both_lengths() {
    let Some(settings) = settings() else { return };
    let mut real = start(&Settings { context_length: 256.into(), ..settings });
    let long = real.engine.synthetic_prompt(300, 1).unwrap();
    match ask(real.engine.as_mut(), long, 4, false) {
        Err(EngineError::ContextFull { tokens, context }) => assert_eq!((tokens, context), (300, 256)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn log_probabilities_of_the_first_token_are_candles_within_a_tolerance() {
    let Some(settings) = settings() else { return };
    let real = start(&settings);
    let prompt = Prompt { text: "The capital of France is".to_owned(), ids: None, chat: None };
    let ids = real.engine.tokenize(&prompt.text).unwrap();
    let body = json!({
        "prompt": ids, "n_predict": 1, "n_probs": 3, "temperature": 0, "cache_prompt": false, "samplers": ["top_k"],
    });
    let answer = Client::new(&real.url, None).post("/completion", &body).unwrap();
    let top = answer["completion_probabilities"][0]["top_logprobs"].as_array().unwrap();
    let words: Vec<String> = top.iter().map(|token| token["token"].as_str().unwrap().to_owned()).collect();
    let candle = Settings { engine: EngineKind::Candle.into(), program: Stated::Unset, ..settings };
    let mut candle = CandleEngine::open(&candle, Path::new("")).unwrap();
    let found = candle.log_likelihoods(&prompt, &words).unwrap();
    assert_eq!(words.len(), 3);
    for (token, continuation) in top.iter().zip(&found.continuations) {
        let (theirs, ours) = (token["logprob"].as_f64().unwrap(), continuation.log_likelihood());
        println!("{}: llama.cpp {theirs:.4}, candle {ours:.4}", token["token"]);
        assert_eq!(u64::from(continuation.tokens[0].id), token["id"].as_u64().unwrap());
        assert!((theirs - ours).abs() < TOLERANCE, "{token}: candle {ours}");
    }
}
