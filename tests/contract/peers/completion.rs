//! `llama-completion`: this test binary itself in its place, started by a script for each request.

#![allow(clippy::print_stderr)] // what a program says there

use super::{CONTEXT, END, Heard, Model, Said, TooLong};
use crate::engine_gguf::pico_as_gguf;
use planrun::abilities::EngineKind;
use planrun::condition::Settings;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::exit;
use tempfile::TempDir;

/// Where it writes down what it hears, and what it was started with.
const NOTES: &str = "PLANRUN_PRETENDED_COMPLETION";
const ARGUMENTS: &str = "PLANRUN_PRETENDED_ARGUMENTS";

/// A folder with a model and the program, and the settings that name them.
pub(crate) fn folder() -> (TempDir, Settings) {
    let folder = tempfile::tempdir().unwrap();
    pico_as_gguf().write(folder.path(), "pico.gguf");
    // What the harness of the tests says on its standard output is no part of the reply.
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'version: pretended'; exit; fi\n\
         {NOTES}='{}' {ARGUMENTS}=\"$*\" exec '{}' --exact contract::peers::completion::answers_once --ignored --nocapture 3>&1 >&2\n",
        folder.path().join("heard").display(),
        std::env::current_exe().unwrap().display()
    );
    let program = folder.path().join("llama-completion");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let settings = Settings {
        engine: EngineKind::LlamaCpp.into(),
        model: "pico.gguf".to_owned().into(),
        program: "./llama-completion".to_owned().into(),
        context_length: CONTEXT.into(),
        ..Settings::default()
    };
    (folder, settings)
}

/// What it heard, line by line: its arguments, and the prompt as JSON.
pub(crate) fn heard(folder: &Path) -> Vec<Heard> {
    let text = fs::read_to_string(folder.join("heard")).unwrap();
    let model = Model::new(false);
    let mut lines = text.lines();
    let mut all = Vec::new();
    while let (Some(arguments), Some(prompt)) = (lines.next(), lines.next()) {
        let read: String = serde_json::from_str(prompt).unwrap();
        all.push(Heard { ids: model.ids(&read), read, ..asked(arguments) });
    }
    all
}

fn asked(arguments: &str) -> Heard {
    let words: Vec<&str> = arguments.split(' ').collect();
    let value = |option: &str| {
        let at = words.iter().rposition(|word| *word == option).unwrap();
        words[at + 1]
    };
    Heard {
        max_tokens: value("-n").parse().unwrap(),
        temperature: value("--temp").parse().unwrap(),
        top_k: value("--top-k").parse().ok().filter(|top_k| *top_k > 0),
        top_p: value("--top-p").parse().ok().filter(|top_p| *top_p < 1.0),
        seed: value("-s").parse().unwrap(),
        ignore_eos: words.contains(&"--ignore-eos"),
        ..Heard::default()
    }
}

#[test]
#[ignore = "not a test: the program that the contract's tests start"]
fn answers_once() {
    let (Some(notes), Ok(arguments)) = (std::env::var_os(NOTES), std::env::var(ARGUMENTS)) else { return };
    let mut prompt = String::new();
    std::io::stdin().lock().read_to_string(&mut prompt).unwrap();
    let mut notes = OpenOptions::new().create(true).append(true).open(notes).unwrap();
    writeln!(notes, "{arguments}\n{}", serde_json::to_string(&prompt).unwrap()).unwrap();
    let model = Model::new(false);
    match model.answer(Heard { text: Some(prompt), ..asked(&arguments) }, CONTEXT, None) {
        Ok(said) => answer(&model, &said),
        Err(TooLong(tokens)) => {
            eprintln!("prompt is too long ({tokens} tokens, max {})", CONTEXT - 4);
            exit(1);
        }
    }
}

/// Token by token on what its starter takes for its standard output, and the counts behind it.
fn answer(model: &Model, said: &Said) {
    let mut out = OpenOptions::new().write(true).open("/dev/fd/3").unwrap();
    for id in &said.ids {
        out.write_all(model.text(&[*id]).as_bytes()).unwrap();
        if said.mishap {
            eprintln!("out of memory");
            exit(1);
        }
    }
    let ended = if said.ids.last() == Some(&END) { " [end of text]\n" } else { "" };
    write!(out, "{ended}\n\n").unwrap();
    let passes = said.ids.len() - 1;
    let (seconds, runs) = if passes == 0 { ("0.00", 1) } else { ("3.00", passes) };
    eprintln!(
        "prompt eval time = 2.00 ms / {} tokens (x)\n       eval time = {seconds} ms / {runs} runs (x)",
        said.prompt
    );
}
