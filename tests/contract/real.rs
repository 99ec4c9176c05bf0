//! Real engines, held to the same contract where the environment names them (`.ci/engines` does, and demands that none is skipped):
//!
//! - `PLANRUN_TEST_LLAMA_SERVER`: a `llama-server`, and `PLANRUN_TEST_GGUF`: `SmolLM2` 135M Instruct for it;
//! - `PLANRUN_TEST_LLAMA_COMPLETION`: a `llama-completion`, for the same;
//! - `PLANRUN_TEST_MLX_PYTHON`: an interpreter with MLX-LM, beside it `mlx_lm.server`; `PLANRUN_TEST_TRANSFORMERS_PYTHON`: one with
//!   transformers; and for both `PLANRUN_TEST_HF_FOLDER`: `SmolLM2` 135M Instruct as a folder;
//! - `PLANRUN_TEST_OPENAI`: the address of a server with that interface that tells what it cached.

use super::subject::{Opened, Start, Subject, Traits};
use crate::support::asking::settings;
use crate::support::environment::named;
use crate::support::started::Started;
use planrun::abilities::{Abilities, EngineKind, abilities, abilities_with};
use planrun::condition::{Settings, Stated};
use planrun::engine::http::Client;
use std::path::Path;

/// `SmolLM2` says no more than a word to it.
const QUESTION: (&str, u32) = ("Is the sky blue? Answer yes or no.", 5);

fn llama_server() -> Option<Settings> {
    let [program, model] = named(["PLANRUN_TEST_LLAMA_SERVER", "PLANRUN_TEST_GGUF"])?;
    Some(Settings {
        engine: EngineKind::LlamaCpp.into(),
        program: program.into(),
        model: model.into(),
        context_length: 256.into(),
        ..Settings::default()
    })
}

#[test]
fn llama_cpp_keeps_the_contract() {
    let Some(settings) = llama_server() else { return };
    let open = move |start: Start| {
        let settings = start.of(settings.clone());
        let server = Started::with(&settings);
        Opened::new(&settings, Path::new(""), Some(&server.endpoint)).keeping(server)
    };
    let able = abilities(EngineKind::LlamaCpp);
    let traits = Traits { able, question: QUESTION, context: Some(256), slow: false };
    Subject { name: "llama_cpp on a real llama-server", traits, open: Box::new(open) }.keeps_the_contract();
}

#[test]
fn llama_cpp_without_a_server_keeps_the_contract() {
    let Some([program, model]) = named(["PLANRUN_TEST_LLAMA_COMPLETION", "PLANRUN_TEST_GGUF"]) else {
        return;
    };
    let able = abilities_with(EngineKind::LlamaCpp, Some(&program));
    let settings = Settings {
        engine: EngineKind::LlamaCpp.into(),
        program: program.into(),
        model: model.into(),
        context_length: 256.into(),
        ..Settings::default()
    };
    let open = move |start: Start| Opened::new(&start.of(settings.clone()), Path::new(""), None);
    let traits = Traits { able, question: QUESTION, context: Some(256), slow: false };
    Subject { name: "llama_cpp on a real llama-completion", traits, open: Box::new(open) }
        .keeps_the_contract();
}

#[test]
fn llama_server_asked_as_openai_keeps_the_contract_with_and_without_files() {
    let Some(its) = llama_server() else { return };
    for (name, files) in [
        ("openai on a real llama-server, model_files", its.model.clone()),
        ("openai on a real llama-server, messages", Stated::Unset),
    ] {
        let its = its.clone();
        let open = move |start: Start| {
            let server = Started::with(&its);
            let url = &server.endpoint.url;
            let settings = Settings {
                model: model_at(url),
                model_files: files.clone(),
                ..settings(EngineKind::Openai, url)
            };
            Opened::new(&start.of(settings), Path::new(""), None).keeping(server)
        };
        let able = Abilities { forgets: true, ..abilities(EngineKind::Openai) };
        let traits = Traits { able, question: QUESTION, context: Some(256), slow: false };
        Subject { name, traits, open: Box::new(open) }.keeps_the_contract();
    }
}

/// The first model that a server lists.
fn model_at(url: &str) -> Stated<String> {
    let listed = Client::new(url, None).get("/v1/models").unwrap();
    listed["data"][0]["id"].as_str().unwrap().to_owned().into()
}

#[test]
fn a_server_at_an_address_keeps_the_contract() {
    let Some([url]) = named(["PLANRUN_TEST_OPENAI"]) else { return };
    let open = move |start: Start| {
        let settings = Settings { model: model_at(&url), ..settings(EngineKind::Openai, &url) };
        Opened::new(&start.of(settings), Path::new(""), None)
    };
    let question = ("What is the capital of Germany?", 200);
    let traits = Traits { able: abilities(EngineKind::Openai), question, context: None, slow: false };
    Subject { name: "openai on a server at an address", traits, open: Box::new(open) }.keeps_the_contract();
}

/// An engine on the folder, started with this program. The model's own template puts a text before each question, which takes
/// MLX-LM longer to read than all the rest.
fn on_folder(engine: EngineKind, variable: &str) -> Option<Settings> {
    let [program, model] = named([variable, "PLANRUN_TEST_HF_FOLDER"])?;
    let template = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/chatml.jinja");
    Some(Settings {
        engine: engine.into(),
        program: program.into(),
        model: model.into(),
        chat_template: template.to_owned().into(),
        ..Settings::default()
    })
}

/// A worker on the folder's model, with the context that this is made for.
fn in_a_worker(name: &'static str, settings: Settings, slow: bool) {
    let able = abilities_with(*settings.engine.get().unwrap(), settings.program.get().map(String::as_str));
    let open = move |start: Start| {
        let opened = Opened::new(&start.of(settings.clone()), Path::new(""), None);
        assert!(
            opened.engine.observed().runtime.get().unwrap().binary.is_some(),
            "the library's files have a hash"
        );
        opened
    };
    let traits = Traits { able, question: QUESTION, context: Some(8192), slow };
    Subject { name, traits, open: Box::new(open) }.keeps_the_contract();
}

#[test]
fn mlx_lm_in_a_worker_keeps_the_contract() {
    let Some(settings) = on_folder(EngineKind::MlxLm, "PLANRUN_TEST_MLX_PYTHON") else { return };
    in_a_worker("mlx_lm in a real worker", settings, true);
}

#[test]
fn mlx_lm_as_a_server_keeps_the_contract() {
    let Some(settings) = on_folder(EngineKind::MlxLm, "PLANRUN_TEST_MLX_PYTHON") else { return };
    let python = settings.program.get().unwrap();
    let server = Path::new(python).with_file_name("mlx_lm.server").display().to_string();
    let settings = Settings { program: server.into(), ..settings };
    let open = move |start: Start| {
        let settings = start.of(settings.clone());
        let server = Started::with(&settings);
        Opened::new(&settings, Path::new(""), Some(&server.endpoint)).keeping(server)
    };
    let able = abilities(EngineKind::MlxLm);
    let traits = Traits { able, question: QUESTION, context: None, slow: true };
    Subject { name: "mlx_lm on a real server", traits, open: Box::new(open) }.keeps_the_contract();
}

#[test]
fn transformers_keeps_the_contract() {
    let Some(settings) = on_folder(EngineKind::Transformers, "PLANRUN_TEST_TRANSFORMERS_PYTHON") else {
        return;
    };
    in_a_worker("transformers in a real worker", settings, false);
}
