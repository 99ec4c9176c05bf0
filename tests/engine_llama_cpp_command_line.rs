//! llama.cpp without a server: a program that is started for each request, here a script that stands in for it.

use crate::engine_gguf::pico_as_gguf;
use planrun::abilities::EngineKind;
use planrun::condition::{Settings, Stated};
use planrun::engine::{Engine, EngineError, launch, open, own_program};
use planrun::generation::{Generation, Message, Request, Role, Sampling, StopReason};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

/// Says its version, or writes down what it was given and answers as told.
const PROGRAM: &str = r#"#!/bin/sh
cd "$(dirname "$0")"
if [ "$1" = --version ]; then echo 'version: 0.6.0 (build 11434, commit x)' >&2; exit; fi
echo "$@" > arguments
cat > prompt
. ./answer
"#;

fn perf(prompt: usize, runs: u32) -> String {
    format!(
        "echo 'I prompt eval time = 12.50 ms / {prompt} tokens ( x )' >&2\n\
         echo 'I        eval time = 80.00 ms / {runs} runs ( x )' >&2\n"
    )
}

/// A folder with a model and the program, which runs `answer` after it has read its prompt.
fn folder(answer: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("pico.gguf"), pico_as_gguf().bytes()).unwrap();
    fs::write(folder.path().join("answer"), answer).unwrap();
    let program = folder.path().join("llama-completion");
    fs::write(&program, PROGRAM).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn settings() -> Settings {
    Settings {
        engine: EngineKind::LlamaCpp.into(),
        model: "pico.gguf".to_owned().into(),
        program: "./llama-completion".to_owned().into(),
        context_length: 512.into(),
        ..Settings::default()
    }
}

fn opened(folder: &Path) -> Box<dyn Engine> {
    open(&settings(), folder, None).unwrap()
}

/// Length of the prompt in tokens, and the reply to it.
fn ask(folder: &Path, max_tokens: u32) -> (usize, Result<Generation, EngineError>) {
    let mut engine = opened(folder);
    let message = Message { role: Role::User, content: "Wie viel ist 2+2?\n".to_owned() };
    let prompt = engine.render(&[message], false.into()).unwrap();
    let written = prompt.ids.as_ref().unwrap().len();
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 7 };
    (written, engine.generate(&Request { prompt, max_tokens, sampling, ignore_eos: false }))
}

/// Asks once to learn the prompt's length, then with the counts of that length.
fn answered(said: &str, runs: u32, max_tokens: u32) -> Generation {
    let (written, _) = ask(folder("true").path(), max_tokens);
    ask(folder(&format!("{said}\n{}", perf(written, runs))).path(), max_tokens).1.unwrap()
}

#[test]
fn a_reply_that_ended_by_itself_counts_its_last_token() {
    let reply = answered(
        "printf Four; sleep 0.02; printf '.'; sleep 0.02; printf '<|im_end|> [end of text]\\n\\n\\n'",
        2,
        8,
    );
    assert_eq!((reply.text.as_str(), reply.stop, reply.tokens), ("Four.", StopReason::Eos, Some(3)));
    assert_eq!(reply.times.deliveries.iter().map(|one| one.tokens).collect::<Vec<_>>(), [Some(1); 3]);
    assert_eq!((reply.ids, reply.cached_tokens), (None, Some(0)));
    let compute = reply.times.compute.unwrap();
    assert_eq!(compute.steps, 2);
    assert!((compute.seconds - 0.08).abs() < 1e-9 && (reply.times.prefill.unwrap() - 0.0125).abs() < 1e-9);
}

#[test]
fn limits_and_a_full_context_are_told_apart() {
    let cut = answered("printf 'Four\\n\\n'", 3, 4);
    assert_eq!((cut.text.as_str(), cut.stop, cut.tokens), ("Four", StopReason::Length, Some(4)));
    let full = answered("printf 'Four\\n\\n'", 3, 9);
    assert_eq!((full.stop, full.tokens), (StopReason::Context, Some(4)));
}

#[test]
fn the_prompt_is_handed_over_as_it_stands_and_nothing_else_decides() {
    let folder = folder("true");
    let _ = ask(folder.path(), 4);
    let prompt = fs::read_to_string(folder.path().join("prompt")).unwrap();
    let engine = opened(folder.path());
    let message = Message { role: Role::User, content: "Wie viel ist 2+2?\n".to_owned() };
    let written = engine.render(&[message], false.into()).unwrap().text;
    assert!(!prompt.is_empty() && written.ends_with(&prompt), "{prompt:?} of {written:?}");
    let arguments = fs::read_to_string(folder.path().join("arguments")).unwrap();
    let root = format!("{}/", fs::canonicalize(folder.path()).unwrap().display());
    let arguments = arguments.replace(&root, "").replace(&format!("{}/", folder.path().display()), "");
    assert_eq!(
        arguments.trim(),
        "-m pico.gguf -c 512 -t 1 -tb 1 -b 512 -ub 512 -ctk f16 -ctv f16 -fa auto -bf /dev/stdin --no-escape -no-cnv \
         --no-display-prompt --special --simple-io --no-context-shift --perf --warmup --offline -n 4 --samplers top_k;temperature \
         --temp 0 --top-k 1 --top-p 1 --mirostat 0 --dynatemp-range 0 -s 7"
    );
    let runtime = engine.observed().runtime.get().unwrap();
    assert_eq!(runtime.version, "0.6.0 (build 11434, commit x)");
    assert_eq!(engine.observed().context_length.get(), Some(&512));
    assert!(runtime.binary.is_some());
}

#[test]
fn a_program_that_read_another_prompt_is_no_measurement() {
    let (written, reply) = ask(folder(&format!("printf 'Four\\n\\n'\n{}", perf(3, 3))).path(), 4);
    assert!(matches!(reply, Err(EngineError::OtherPrompt { read: 3, .. })), "{written} {reply:?}");
}

#[test]
fn what_goes_wrong_is_told_with_the_programs_last_words() {
    let told = |answer: &str| ask(folder(answer).path(), 4).1.unwrap_err().to_string();
    assert!(told("echo 'failed to load model' >&2; exit 1").contains("failed to load model"));
    assert!(told("printf 'Four\\n\\n'").contains("did not say what it counted"));
    let unknown = told("echo 'error: invalid argument: -no-cnv' >&2; exit 1");
    assert!(unknown.contains("name `llama-completion`"), "{unknown}");
    assert!(told("kill -9 $$").contains("ended with signal 9 (killed)"));
    assert!(told("yes").contains("far more than was asked for"));
}

#[test]
fn nothing_is_started_beforehand_and_arguments_are_looked_at() {
    let folder = folder("true");
    assert_eq!(launch(&settings(), folder.path(), 1).unwrap(), None);
    let asked = |argument: &str| Settings { arguments: Stated::Set(vec![argument.to_owned()]), ..settings() };
    let refused = |argument: &str| own_program(&asked(argument), folder.path()).unwrap_err().to_string();
    assert!(refused("-t").contains("set `threads` instead"));
    assert!(refused("--ignore-eos").contains("set `ignore_eos` instead"));
    assert!(refused("--mirostat").contains("is not left to the plan"));
    assert!(refused("--rpc=10.0.0.1:50052").contains("is not left to the plan"));
    assert!(refused("-cnv").contains("is not left to the plan"));
    let missing = Settings { program: "./none/llama-completion".to_owned().into(), ..settings() };
    assert!(own_program(&missing, folder.path()).unwrap_err().to_string().contains("no such program"));
    let held = Settings { json_schema: "s.json".to_owned().into(), ..settings() };
    let shown = own_program(&held, folder.path()).unwrap().unwrap().shown();
    assert!(
        shown.ends_with("/s.json, once for each request") && shown.contains("--json-schema-file"),
        "{shown}"
    );
}
