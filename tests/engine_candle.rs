//! The in-process engine on the embedded model.

use planrun::condition::{Settings, Stated};
use planrun::engine::{Engine, open};
use planrun::generation::{Generation, Message, Request, Role, Sampling, StopReason};
use std::path::Path;

fn settings(quantization: &str) -> Settings {
    Settings {
        model: Stated::Set("pico".to_owned()),
        quantization: Stated::Set(quantization.to_owned()),
        ..Settings::default()
    }
}

fn pico(settings: &Settings) -> Box<dyn Engine> {
    open(settings, Path::new(".")).unwrap()
}

fn greedy() -> Sampling {
    Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 }
}

fn ask(engine: &mut dyn Engine, question: &str, thinking: bool, max_tokens: u32) -> Generation {
    let message = Message { role: Role::User, content: question.to_owned() };
    let prompt = engine.render(&[message], Stated::Set(thinking)).unwrap();
    let request = Request { prompt, max_tokens, sampling: greedy(), ignore_eos: false };
    engine.generate(&request).unwrap()
}

#[test]
fn a_reply_counts_every_token_and_its_time() {
    let mut engine = pico(&settings("f32"));
    let reply = ask(engine.as_mut(), "What is 12 + 30?", true, 200);
    println!("{reply:?} {:?}", engine.observed());
    let ids = reply.ids.as_ref().unwrap();
    assert_eq!(reply.tokens, Some(ids.len() as u32));
    assert_eq!(reply.times.deliveries.len(), ids.len());
    assert!(reply.times.deliveries.windows(2).all(|pair| pair[0].at <= pair[1].at));
    assert!(matches!(reply.stop, StopReason::Eos | StopReason::Length));
}
