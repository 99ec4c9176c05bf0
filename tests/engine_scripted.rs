//! The stand-in engine.

use planrun::abilities::EngineKind;
use planrun::condition::{Settings, Stated};
use planrun::engine::{Engine, EngineError, Script, ScriptError, open};
use planrun::generation::{Generation, Message, Request, Role, Sampling, StopReason};
use std::path::Path;

fn settings(model: &str, quantization: &str) -> Settings {
    Settings {
        engine: Stated::Set(EngineKind::Scripted),
        model: Stated::Set(model.to_owned()),
        quantization: Stated::Set(quantization.to_owned()),
        ..Settings::default()
    }
}

fn ask(
    engine: &mut dyn Engine,
    text: &str,
    thinking: bool,
    max_tokens: u32,
) -> Result<Generation, EngineError> {
    let message = Message { role: Role::User, content: text.to_owned() };
    let prompt = engine.render(&[message], Stated::Set(thinking))?;
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
    engine.generate(&Request { prompt, max_tokens, sampling, ignore_eos: false })
}

fn reply(model: &str, quantization: &str, thinking: bool, max_tokens: u32) -> Generation {
    let mut engine = open(&settings(model, quantization), Path::new("."), None).unwrap();
    ask(engine.as_mut(), "Repeat this word: heron.", thinking, max_tokens).unwrap()
}

#[test]
fn the_same_prompt_and_settings_give_the_same_reply_and_times() {
    assert_eq!(reply("scripted", "q4_0", true, 500), reply("scripted", "q4_0", true, 500));
}

#[test]
fn the_answer_is_the_last_word_and_thinking_makes_it_longer() {
    let (direct, thinking) = (reply("scripted", "f32", false, 500), reply("scripted", "f32", true, 500));
    assert_eq!(direct.text, "heron");
    assert!(thinking.text.starts_with("<think>") && thinking.text.ends_with("</think>\n\nheron"));
    assert!(thinking.tokens > direct.tokens.map(|tokens| 10 * tokens));
    assert_eq!(direct.stop, StopReason::Eos);
    assert_eq!(direct.times.first_answer, Some(0));
    let capped = reply("scripted", "f32", true, 5);
    assert_eq!((capped.tokens, capped.stop, capped.times.first_answer), (Some(5), StopReason::Length, None));
}

#[test]
fn fewer_bits_are_faster_and_the_clock_is_virtual() {
    let span = |generation: Generation| generation.times.deliveries.last().unwrap().at;
    let (slow, fast) =
        (span(reply("scripted", "f32", true, 500)), span(reply("scripted", "q4_0", true, 500)));
    assert!(slow > 1.5 * fast, "{slow} {fast}");
    let before = std::time::Instant::now();
    let hour = span(reply("scripted:speed=0.0001", "f32", true, 500));
    assert!(hour > 600.0 && before.elapsed().as_secs() < 60);
}

#[test]
fn a_script_can_think_unasked_and_answer_wrongly_or_not_at_all() {
    assert!(reply("scripted:thinks", "f32", false, 500).text.contains("<think>"));
    assert_eq!(reply("scripted:errors=1", "f32", false, 500).text, "nothing");
    assert_eq!(reply("scripted:mute", "f32", false, 500).text, "");
}

#[test]
fn a_soft_switch_in_the_conversation_makes_it_think() {
    let mut engine = open(&settings("scripted", "f32"), Path::new("."), None).unwrap();
    let reply = ask(engine.as_mut(), "/think about heron", false, 500).unwrap();
    assert!(reply.text.starts_with("<think>"));
}

#[test]
fn a_script_can_fail_to_open_or_to_answer() {
    assert!(matches!(
        open(&settings("scripted:missing", "f32"), Path::new("."), None).err(),
        Some(EngineError::NotFound { .. })
    ));
    let mut engine = open(&settings("scripted:fails", "f32"), Path::new("."), None).unwrap();
    assert!(matches!(ask(engine.as_mut(), "Hello", false, 9), Err(EngineError::Failed { .. })));
}

#[test]
fn shares_decide_each_prompt_the_same_way_every_time() {
    let failures = || {
        let mut engine = open(&settings("scripted:fails=0.3", "f32"), Path::new("."), None).unwrap();
        (0..200).map(|at| ask(engine.as_mut(), &format!("Say {at}"), false, 9).is_err()).collect::<Vec<_>>()
    };
    let first = failures();
    assert_eq!(first, failures());
    let share = first.iter().filter(|failed| **failed).count();
    assert!((30..=90).contains(&share), "{share} of 200");
}

#[test]
fn unknown_words_and_bad_numbers_of_a_script_are_named() {
    assert_eq!(Script::parse("scripted:speeed=2"), Err(ScriptError::Word("speeed".to_owned())));
    assert_eq!(Script::parse("scripted:noise=2"), Err(ScriptError::Number("noise=2".to_owned())));
    assert_eq!(Script::parse("scripted:speed=0"), Err(ScriptError::Number("speed=0".to_owned())));
    assert_eq!(Script::parse("pico"), Err(ScriptError::Other("pico".to_owned())));
    assert!(Script::parse("scripted:speed=2,thinks").is_ok());
}
