//! Log-likelihoods of continuations: against the decoder's own logits, and the boundary between prompt and continuation.

use crate::engine_gguf::{open as open_gguf, pico_as_gguf};
use crate::support::gguf::Value;
use planrun::abilities::EngineKind;
use planrun::condition::{Settings, Stated};
use planrun::engine::{CandleEngine, Engine, EngineError, open};
use planrun::generation::{Continuation, LogLikelihoods, Message, Prompt, Request, Role, Sampling};
use std::path::Path;

fn settings() -> Settings {
    Settings {
        model: Stated::Set("pico".to_owned()),
        quantization: Stated::Set("f32".to_owned()),
        ..Settings::default()
    }
}

fn pico() -> CandleEngine {
    CandleEngine::open(&settings(), Path::new(".")).unwrap()
}

fn question(text: &str) -> [Message; 1] {
    [Message { role: Role::User, content: text.to_owned() }]
}

fn prompt(engine: &CandleEngine) -> Prompt {
    engine.render(&question("What is 12 + 30?"), Stated::Set(false)).unwrap()
}

fn read(engine: &mut CandleEngine, prompt: &Prompt, texts: &[&str]) -> LogLikelihoods {
    let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
    engine.log_likelihoods(prompt, &texts).unwrap()
}

fn ids(continuation: &Continuation) -> Vec<u32> {
    continuation.tokens.iter().map(|token| token.id).collect()
}

/// `ln softmax` of the logits that follow `before`, at `id`, and whether no other token is more likely.
fn expected(engine: &mut CandleEngine, before: &[u32], id: u32) -> (f64, bool) {
    let logits = engine.logits(before).unwrap();
    let total: f64 = logits.iter().map(|&logit| f64::from(logit).exp()).sum();
    let own = logits[id as usize];
    (f64::from(own) - total.ln(), logits.iter().all(|&logit| logit <= own))
}

#[test]
fn each_token_has_the_log_probability_that_the_logits_give_it() {
    let mut engine = pico();
    let prompt = prompt(&engine);
    let texts = ["42", "41", "forty-two, I should think", " 42"];
    let read = read(&mut engine, &prompt, &texts);
    let context = engine.tokenize(prompt.text.trim_end()).unwrap();
    assert_eq!((read.context_tokens as usize, read.cached_tokens), (context.len(), Some(0)));
    let mut greedy = 0;
    for (text, continuation) in texts.iter().zip(&read.continuations) {
        let whole = engine.tokenize(&format!("{}{text}", prompt.text)).unwrap();
        assert_eq!(ids(continuation), whole[context.len()..], "{text}");
        let mut sum = 0.0;
        for (at, token) in continuation.tokens.iter().enumerate() {
            let (wanted, most_likely) = expected(&mut engine, &whole[..context.len() + at], token.id);
            let gap = (token.log_probability - wanted).abs();
            assert!(gap < 1e-4, "{text}: token {at} differs by {gap}");
            assert_eq!(token.greedy, most_likely, "{text}: token {at}");
            sum += wanted;
        }
        assert!((continuation.log_likelihood() - sum).abs() < 1e-4, "{text}");
        greedy += usize::from(continuation.is_greedy());
    }
    assert!(greedy <= 1, "two different continuations cannot both be greedy");
}

#[test]
fn the_greedy_reply_is_a_greedy_continuation_and_another_one_is_not() {
    let mut engine = pico();
    let prompt = prompt(&engine);
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
    let request = Request { prompt: prompt.clone(), max_tokens: 8, sampling, ignore_eos: false };
    let reply = engine.generate(&request).unwrap().text;
    let read = read(&mut engine, &prompt, &[&reply, "no number at all"]);
    assert!(read.continuations[0].is_greedy(), "{reply}");
    assert!(!read.continuations[1].is_greedy());
    assert!(read.continuations[0].log_likelihood() > read.continuations[1].log_likelihood());
}

#[test]
fn a_continuation_is_read_alike_alone_and_among_others() {
    let mut engine = pico();
    let prompt = prompt(&engine);
    let among = read(&mut engine, &prompt, &["1 2 3 4 5 6 7 8", "42", "forty"]);
    assert_eq!(read(&mut engine, &prompt, &["42"]).continuations[0], among.continuations[1]);
    assert_eq!(read(&mut engine, &prompt, &["forty"]).continuations[0], among.continuations[2]);
}

#[test]
fn white_space_at_the_end_of_the_prompt_belongs_to_the_continuation() {
    let mut engine = pico();
    let spaced = |text: &str| Prompt { text: text.to_owned(), ids: None, chat: None };
    let apart = read(&mut engine, &spaced("1 + 1 ="), &[" 2"]);
    let moved = read(&mut engine, &spaced("1 + 1 = "), &["2"]);
    assert_eq!((moved.context_tokens, &moved.continuations), (apart.context_tokens, &apart.continuations));
    let framed = prompt(&engine);
    assert!(framed.text.ends_with('\n'), "the case is about the line that the template ends with");
    let whole = engine.tokenize(&format!("{}42", framed.text)).unwrap();
    let continuation = &read(&mut engine, &framed, &["42"]).continuations[0];
    assert!(whole.ends_with(&ids(continuation)));
    assert!(ids(continuation).len() > engine.tokenize("42").unwrap().len());
}

#[test]
fn a_continuation_that_adds_no_token_and_a_full_context_are_refused() {
    let small = Settings { context_length: Stated::Set(16), ..settings() };
    let mut engine = CandleEngine::open(&small, Path::new(".")).unwrap();
    let prompt = Prompt { text: "1 + 1 =".to_owned(), ids: None, chat: None };
    let empty = engine.log_likelihoods(&prompt, &[String::new()]).unwrap_err().to_string();
    assert!(empty.contains("adds no token"), "{empty}");
    let long = engine.log_likelihoods(&prompt, &[" 2".to_owned(), " 2 3 4 5 6 7 8 9 10 11 12".to_owned()]);
    assert!(matches!(long, Err(EngineError::ContextFull { context: 16, .. })), "{long:?}");
}

#[test]
fn without_a_template_the_text_is_read_as_it_stands() {
    let raw = Settings { chat_template: Stated::Set("none".to_owned()), ..settings() };
    let engine = CandleEngine::open(&raw, Path::new(".")).unwrap();
    let prompt = engine.render(&question("Answer:"), Stated::Unset).unwrap();
    assert_eq!(prompt.text, "Answer:");
    assert_eq!(prompt.ids, Some(engine.tokenize("Answer:").unwrap()));
    let turn = |role, text: &str| Message { role, content: text.to_owned() };
    let solved = [
        turn(Role::System, "Count."),
        turn(Role::User, "1 + 1\nAnswer:"),
        turn(Role::Assistant, "2"),
        turn(Role::User, "2 + 2\nAnswer:"),
    ];
    let prompt = engine.render(&solved, Stated::Unset).unwrap();
    assert_eq!(prompt.text, "Count.\n\n1 + 1\nAnswer: 2\n\n2 + 2\nAnswer:");
    assert_eq!(engine.observed().chat_template, Stated::Unset);
    assert!(!engine.has_thinking_switch());
    let thinking = Settings { thinking: Stated::Set(false), ..raw };
    let error = CandleEngine::open(&thinking, Path::new(".")).unwrap_err().to_string();
    assert!(error.starts_with("thinking: there is no chat template"), "{error}");
}

#[test]
fn the_first_token_of_a_raw_prompt_is_never_doubled() {
    let mut model = pico_as_gguf();
    model.entries.retain(|(key, _)| key != b"tokenizer.chat_template");
    let end = 505;
    let model = model
        .with("tokenizer.ggml.bos_token_id", Value::U32(end))
        .with("tokenizer.ggml.add_bos_token", Value::Bool(true));
    let mut engine = open_gguf(&model, Stated::Unset).unwrap();
    let plain = engine.render(&question("1 + 1 ="), Stated::Unset).unwrap().ids.unwrap();
    assert_eq!(plain[0], end);
    let written = engine.render(&question("<|im_end|>1 + 1 ="), Stated::Unset).unwrap();
    assert_eq!(written.ids.as_ref(), Some(&plain));
    let read = read(&mut engine, &written, &[" 2"]);
    assert_eq!(read.context_tokens as usize, plain.len());
}

#[test]
fn the_stand_in_makes_up_the_same_likelihoods_every_time() {
    let settings = Settings {
        engine: Stated::Set(EngineKind::Scripted),
        model: Stated::Set("scripted".to_owned()),
        ..Settings::default()
    };
    let read = |text: &str, continuations: &[&str]| {
        let mut engine = open(&settings, Path::new("."), None).unwrap();
        let prompt = Prompt { text: text.to_owned(), ids: None, chat: None };
        let texts: Vec<String> = continuations.iter().map(|&text| text.to_owned()).collect();
        engine.log_likelihoods(&prompt, &texts).unwrap().continuations
    };
    let one = read("Which?", &[" one", " two words"]);
    assert_eq!(one, read("Which?", &[" one", " two words"]));
    assert_eq!(one[1], read("Which? ", &["two words"])[0]);
    assert!(one.iter().flat_map(|one| &one.tokens).all(|token| token.log_probability < 0.0));
    assert_ne!(one, read("What?", &[" one", " two words"]));
}
