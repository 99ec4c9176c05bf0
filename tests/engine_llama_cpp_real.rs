//! A first token's probabilities on a real `llama-server`: `PLANRUN_TEST_LLAMA_SERVER` names the program, and `PLANRUN_TEST_GGUF` a
//! small chat model. Its replies are held to the contract (`contract::real`).

use crate::support::environment::named;
use crate::support::started::Started;
use planrun::abilities::EngineKind;
use planrun::condition::{Settings, Stated};
use planrun::engine::http::Client;
use planrun::engine::{CandleEngine, Engine, open};
use planrun::generation::Prompt;
use serde_json::json;
use std::path::Path;

/// Largest difference of a first token's log-probability between the two engines' kernels, in nats: in `q4_1` one rounds what
/// it multiplies to 8 bits, and the less likely a token is the more that shows.
const TOLERANCE: f64 = 0.25;

#[test]
fn log_probabilities_of_the_first_token_are_candles_within_a_tolerance() {
    let Some([program, model]) = named(["PLANRUN_TEST_LLAMA_SERVER", "PLANRUN_TEST_GGUF"]) else { return };
    let settings = Settings {
        engine: EngineKind::LlamaCpp.into(),
        program: program.into(),
        model: model.into(),
        kv_cache_dtype: "f32".to_owned().into(),
        context_length: 512.into(),
        ..Settings::default()
    };
    let server = Started::with(&settings);
    let engine = open(&settings, Path::new(""), Some(&server.endpoint)).unwrap();
    let prompt = Prompt { text: "The capital of France is".to_owned(), ids: None, chat: None };
    let ids = engine.tokenize(&prompt.text).unwrap();
    let body = json!({
        "prompt": ids, "n_predict": 1, "n_probs": 3, "temperature": 0, "cache_prompt": false, "samplers": ["top_k"],
    });
    let answer = Client::new(&server.endpoint.url, None).post("/completion", &body).unwrap();
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
