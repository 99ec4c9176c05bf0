//! Every adapter, held to the contract on peers of known truth, and the engines in this process on what they always have.

use super::peers::openai::Program;
use super::peers::{CONTEXT, Model, completion, llama_server, ollama, openai, worker};
use super::subject::{Opened, Start, Subject, Traits};
use crate::engine_gguf::pico_as_gguf;
use crate::support::asking::settings;
use crate::support::pico_folder::pico_folder;
use crate::support::scripted_server::ScriptedServer;
use crate::support::worker::{Desk, has_python};
use planrun::abilities::{Abilities, EngineKind, abilities, abilities_with};
use planrun::condition::Settings;
use planrun::engine::Endpoint;
use std::path::Path;
use std::sync::Arc;

/// Of the pretended model.
const QUESTION: (&str, u32) = ("Which letters?", 30);

fn traits(able: Abilities) -> Traits {
    Traits { able, question: QUESTION, context: Some(CONTEXT), slow: false }
}

/// An engine in this process.
fn in_process(name: &'static str, settings: Settings, question: (&'static str, u32)) {
    let able = abilities(*settings.engine.get().unwrap());
    let context = 128;
    let settings = Settings { context_length: context.into(), ..settings };
    let open = move |start: Start| Opened::new(&start.of(settings.clone()), Path::new("."), None);
    let traits = Traits { able, question, context: Some(context), slow: false };
    Subject { name, traits, open: Box::new(open) }.keeps_the_contract();
}

#[test]
fn candle_keeps_the_contract() {
    let settings = Settings {
        engine: EngineKind::Candle.into(),
        model: "pico".to_owned().into(),
        quantization: "q8_0".to_owned().into(),
        ..Settings::default()
    };
    in_process("candle", settings, ("What is 12 + 30?", 40));
}

#[test]
fn the_stand_in_keeps_the_contract() {
    let settings = Settings {
        engine: EngineKind::Scripted.into(),
        model: "scripted".to_owned().into(),
        ..Settings::default()
    };
    in_process("scripted", settings, ("Say heron.", 30));
}

/// A server at an address; `files` tells whether prompts are written here.
fn at_server(
    name: &'static str,
    able: Abilities,
    files: bool,
    serve: impl Fn(&Arc<Model>) -> ScriptedServer + 'static,
    settings: impl Fn(&str) -> Settings + 'static,
) {
    let open = move |start: Start| {
        // A server that nobody can make forget was started without a cache, unless it is to have one.
        let model = Model::new(start == Start::Warm || able.forgets);
        let (server, folder) = (serve(&model), pico_folder());
        let mut settings = Settings { thinking: false.into(), ..settings(&server.url()) };
        if files {
            settings.model_files = folder.path().display().to_string().into();
        }
        let opened = Opened::new(&start.of(settings), Path::new("."), None);
        opened.heard_by(move || model.heard()).keeping((server, folder))
    };
    Subject { name, traits: traits(able), open: Box::new(open) }.keeps_the_contract();
}

/// One of the servers behind `openai`; what it can do beyond the least that the table promises of all of them.
fn compatible(name: &'static str, program: Program, files: bool, beyond: impl Fn(Abilities) -> Abilities) {
    let able = beyond(abilities(EngineKind::Openai));
    at_server(
        name,
        able,
        files,
        move |model| openai::serve(program, model),
        |url| settings(EngineKind::Openai, url),
    );
}

#[test]
fn a_plain_server_keeps_the_contract_with_and_without_files() {
    let forgets = |able| Abilities { forgets: true, ..able };
    compatible("openai (a plain server, model_files)", Program::Plain, true, forgets);
    compatible("openai (a plain server, messages)", Program::Plain, false, forgets);
}

#[test]
fn vllm_keeps_the_contract() {
    let beyond = |able| Abilities { ids: true, forgets: true, ..able };
    compatible("openai (vLLM, model_files)", Program::Vllm, true, beyond);
    compatible("openai (vLLM, messages)", Program::Vllm, false, beyond);
}

#[test]
fn sglang_keeps_the_contract() {
    compatible("openai (SGLang)", Program::Sglang, true, |able| Abilities { forgets: true, ..able });
}

#[test]
fn llama_server_asked_as_openai_keeps_the_contract() {
    compatible("openai (llama-server)", Program::LlamaServer, true, |able| Abilities {
        forgets: true,
        ..able
    });
}

#[test]
fn llama_cpp_keeps_the_contract() {
    const FILE: &str = "pico.gguf";
    let open = |start: Start| {
        let model = Model::new(true);
        let (server, folder) =
            (llama_server::serve(&model, FILE, start == Start::Drafting), tempfile::tempdir().unwrap());
        pico_as_gguf().write(folder.path(), FILE);
        let settings = Settings {
            engine: EngineKind::LlamaCpp.into(),
            model: FILE.to_owned().into(),
            context_length: CONTEXT.into(),
            ..Settings::default()
        };
        let endpoint = Endpoint {
            url: server.url(),
            process: std::process::id(),
            binary: Some("b".into()),
            load_s: Some(0.0),
        };
        let opened = Opened::new(&start.of(settings), folder.path(), Some(&endpoint));
        opened.heard_by(move || model.heard()).keeping((server, folder))
    };
    let traits = traits(abilities(EngineKind::LlamaCpp));
    Subject { name: "llama_cpp", traits, open: Box::new(open) }.keeps_the_contract();
}

#[test]
fn llama_cpp_without_a_server_keeps_the_contract() {
    let open = |start: Start| {
        let (folder, settings) = completion::folder();
        let (opened, place) =
            (Opened::new(&start.of(settings), folder.path(), None), folder.path().to_owned());
        opened.heard_by(move || completion::heard(&place)).keeping(folder)
    };
    let traits = traits(abilities_with(EngineKind::LlamaCpp, Some("llama-completion")));
    Subject { name: "llama_cpp (llama-completion)", traits, open: Box::new(open) }.keeps_the_contract();
}

#[test]
fn ollama_keeps_the_contract_old_and_new_with_and_without_files() {
    let with_window =
        |url: &str| Settings { context_length: CONTEXT.into(), ..settings(EngineKind::Ollama, url) };
    for (name, files, cuts) in [
        ("ollama (model_files)", true, false),
        ("ollama (messages)", false, false),
        ("ollama (model_files, an old one that cuts)", true, true),
        ("ollama (messages, an old one that cuts)", false, true),
    ] {
        let able = abilities(EngineKind::Ollama);
        at_server(name, able, files, move |model| ollama::serve(model, cuts), with_window);
    }
}

#[test]
fn mlx_lm_as_a_server_keeps_the_contract() {
    let open = |start: Start| {
        let model = Model::new(start == Start::Warm);
        let (server, folder) = (openai::serve(Program::MlxLm, &model), pico_folder());
        let settings = Settings {
            model: folder.path().display().to_string().into(),
            ..settings(EngineKind::MlxLm, &server.url())
        };
        let opened = Opened::new(&start.of(settings), Path::new("."), None);
        opened.heard_by(move || model.heard()).keeping((server, folder))
    };
    // It reads a prompt of any length.
    let traits = Traits { context: None, ..traits(abilities(EngineKind::MlxLm)) };
    Subject { name: "mlx_lm (server)", traits, open: Box::new(open) }.keeps_the_contract();
}

#[test]
fn mlc_llm_keeps_the_contract_with_and_without_files() {
    for (name, files) in [("mlc_llm (model_files)", true), ("mlc_llm (messages)", false)] {
        let able = abilities(EngineKind::MlcLlm);
        let serve = |model: &Arc<Model>| openai::serve(Program::MlcLlm, model);
        at_server(name, able, files, serve, |url| settings(EngineKind::MlcLlm, url));
    }
}

fn in_a_worker(name: &'static str, engine: EngineKind) {
    let able = abilities_with(engine, Some("python"));
    let open = move |start: Start| {
        let (desk, notes) = worker::desk(engine);
        let opened = Opened::new(&start.of(desk.settings.clone()), &desk.base(), None);
        opened.heard_by(move || worker::heard(&notes)).keeping(desk)
    };
    Subject { name, traits: traits(able), open: Box::new(open) }.keeps_the_contract();
}

#[test]
fn workers_keep_the_contract() {
    in_a_worker("mlx_lm (worker)", EngineKind::MlxLm);
    in_a_worker("transformers", EngineKind::Transformers);
}

#[test]
fn the_workers_own_program_keeps_the_contract_on_a_stand_in_for_mlx() {
    if !has_python() {
        return;
    }
    let open = |start: Start| {
        let desk = Desk::with_pretended_mlx().unwrap();
        let opened = Opened::new(&start.of(desk.settings.clone()), &desk.base(), None);
        opened.keeping(desk)
    };
    let traits = traits(abilities_with(EngineKind::MlxLm, Some("python")));
    Subject { name: "mlx_lm (the worker's program)", traits, open: Box::new(open) }.keeps_the_contract();
}
