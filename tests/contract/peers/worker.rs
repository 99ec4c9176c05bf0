//! A worker: this test binary itself in the place of Python, on the pipes that a worker has.

use super::{CONTEXT, END, Heard, Model, Said};
use crate::support::worker::Desk;
use planrun::abilities::EngineKind;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// Where it writes down what it hears.
const NOTES: &str = "PLANRUN_PRETENDED_WORKER";

/// A model's folder, and a program that starts the stand-in; also the file in which it writes down what it hears.
pub(crate) fn desk(engine: EngineKind) -> (Desk, PathBuf) {
    let desk = Desk::with_script(engine, "");
    let notes = desk.base().join("heard");
    let script = format!(
        "{NOTES}='{}' exec '{}' --exact contract::peers::worker::answers_until_its_pipe_is_closed --ignored --nocapture\n",
        notes.display(),
        std::env::current_exe().unwrap().display()
    );
    std::fs::write(&desk.settings.arguments.get().unwrap()[0], script).unwrap();
    (desk, notes)
}

/// What it heard.
pub(crate) fn heard(notes: &Path) -> Vec<Heard> {
    let model = Model::new(false);
    let text = std::fs::read_to_string(notes).unwrap();
    let asked = text.lines().map(|line| asked(&serde_json::from_str(line).unwrap()));
    asked.map(|heard| Heard { read: model.text(&heard.ids), ..heard }).collect()
}

fn asked(line: &Value) -> Heard {
    Heard {
        ids: serde_json::from_value(line["ids"].clone()).unwrap(),
        max_tokens: line["max_tokens"].as_u64().unwrap() as u32,
        temperature: line["temperature"].as_f64().unwrap(),
        top_k: line["top_k"].as_u64().map(|top_k| top_k as u32),
        top_p: line["top_p"].as_f64(),
        seed: line["seed"].as_u64().unwrap(),
        ignore_eos: line["ends"].as_array().unwrap().is_empty(),
        ..Heard::default()
    }
}

#[test]
#[ignore = "not a test: the program that the contract's tests start"]
fn answers_until_its_pipe_is_closed() {
    let Some(notes) = std::env::var_os(NOTES) else { return };
    let mut notes = OpenOptions::new().create(true).append(true).open(notes).unwrap();
    let mut lines = std::io::stdin().lock().lines().map(Result::unwrap);
    let (_program, _opening) = (lines.next(), lines.next());
    println!(); // ends the line that the harness has begun
    say(&json!({
        "kind": "ready", "python": "3.99", "executable": null, "packages": [["pretended", "1"]], "digest": null,
        "device": "cpu", "weights": [["f16", 12]], "cache": "f16", "threads": 1, "context_length": CONTEXT,
    }));
    let model = Model::new(true);
    for line in lines {
        writeln!(notes, "{line}").unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        let cache = (line["warm"] == true).then_some("");
        // Who asks leaves no prompt that is too long.
        answer(&model.answer(asked(&line), u32::MAX, cache).unwrap());
    }
}

fn answer(said: &Said) {
    for (at, id) in said.ids.iter().enumerate() {
        say(&json!({ "kind": "token", "ids": [id], "at": 0.001 * (at + 1) as f64 }));
        if said.mishap {
            return say(&json!({ "kind": "error", "cause": "memory", "message": "out of memory" }));
        }
    }
    let stop = if said.ids.last() == Some(&END) { "eos" } else { "length" };
    say(&json!({
        "kind": "end", "stop": stop, "tokens": said.ids.len(), "prompt_tokens": said.prompt,
        "cached_tokens": said.cached, "peak_memory_mib": null,
    }));
}

/// Writes past the harness of the tests, which holds nothing of this back.
fn say(line: &Value) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).unwrap();
}
