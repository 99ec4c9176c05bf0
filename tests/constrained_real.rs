//! Held replies and tokens guessed ahead on a real `llama-server`: `PLANRUN_TEST_LLAMA_SERVER` names the program, and
//! `PLANRUN_TEST_GGUF` a small chat model.

use crate::support::environment::named;
use crate::support::started::Started;
use planrun::abilities::EngineKind;
use planrun::condition::{Settings, Stated};
use planrun::engine::open;
use planrun::generation::{Generation, Message, Request, Role, Sampling};
use std::path::Path;

fn settings() -> Option<Settings> {
    let [program, model] = named(["PLANRUN_TEST_LLAMA_SERVER", "PLANRUN_TEST_GGUF"])?;
    Some(Settings {
        engine: EngineKind::LlamaCpp.into(),
        program: program.into(),
        model: model.into(),
        context_length: 512.into(),
        ..Settings::default()
    })
}

/// The greedy reply to a question.
fn reply(settings: &Settings, max_tokens: u32, ignore_eos: bool) -> Generation {
    let server = Started::with(settings);
    let mut engine = open(settings, Path::new(""), Some(&server.endpoint)).unwrap();
    let message = Message { role: Role::User, content: "What is the capital of Germany?".to_owned() };
    let prompt = engine.render(&[message], Stated::Unset).unwrap();
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 1 };
    engine.generate(&Request { prompt, max_tokens, sampling, ignore_eos }).unwrap()
}

#[test]
fn tokens_guessed_ahead_are_those_of_the_model_itself_and_are_counted() {
    let Some(settings) = settings() else { return };
    let plain = reply(&settings, 48, true);
    assert_eq!(plain.speculation, None);
    let draft = format!("draft:{}", settings.model.get().unwrap());
    for words in ["ngram:2".to_owned(), draft] {
        let guessed = reply(&Settings { speculation: words.clone().into(), ..settings.clone() }, 48, true);
        assert_eq!(guessed.ids, plain.ids, "{words}");
        let counts = guessed.speculation.unwrap();
        println!("{words}: {} of {} accepted", counts.accepted, counts.drafted);
        assert!(counts.drafted > 0 && counts.accepted <= counts.drafted, "{words}: {counts:?}");
    }
}

#[test]
fn replies_are_held_to_a_schema_and_to_a_grammar() {
    let Some(settings) = settings() else { return };
    let folder = tempfile::tempdir().unwrap();
    let schema = r#"{"type": "object", "properties": {"city": {"type": "string", "maxLength": 20}},
        "required": ["city"], "additionalProperties": false}"#;
    let grammar = r#"root ::= "{\"city\": \"" [a-zA-Z]+ "\"}""#;
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Stated::Set(path.display().to_string())
    };
    for held in [
        Settings { json_schema: file("city.json", schema), ..settings.clone() },
        Settings { grammar: file("city.gbnf", grammar), ..settings.clone() },
    ] {
        let text = reply(&held, 64, false).text;
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(value["city"].is_string(), "{text}");
    }
}
