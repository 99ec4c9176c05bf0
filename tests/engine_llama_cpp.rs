//! What `llama-server` is started with, and what is refused before that.

use crate::engine_gguf::pico_as_gguf;
use crate::server_start::write_executable;
use planrun::abilities::EngineKind;
use planrun::condition::Settings;
use planrun::engine::launch;
use std::fs;
use tempfile::TempDir;

const PORT: u16 = 4000;

/// A folder with a model, a draft for it and a program.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["pico.gguf", "draft.gguf"] {
        fs::write(folder.path().join(name), pico_as_gguf().bytes()).unwrap();
    }
    fs::create_dir(folder.path().join("folder")).unwrap();
    write_executable(&folder.path().join("server"));
    folder
}

fn settings() -> Settings {
    Settings {
        engine: EngineKind::LlamaCpp.into(),
        model: "pico.gguf".to_owned().into(),
        program: "./server".to_owned().into(),
        ..Settings::default()
    }
}

/// Arguments without the model's and with folders left out.
fn arguments(settings: &Settings) -> Result<String, String> {
    let folder = folder();
    let launch = launch(settings, folder.path(), PORT).map_err(|error| error.to_string())?.unwrap();
    let root = format!("{}/", folder.path().display());
    Ok(launch.arguments.join(" ").replace(&root, ""))
}

fn refusal(settings: &Settings) -> String {
    arguments(settings).expect_err("refused")
}

#[test]
fn whatever_decides_a_number_is_said_although_the_plan_does_not() {
    assert_eq!(
        arguments(&settings()).unwrap(),
        "--host 127.0.0.1 --port 4000 -m pico.gguf -c 8192 -t 1 -tb 1 -b 512 -ub 512 -ctk f16 -ctv f16 -fa auto -np 1 \
         --no-context-shift -cram 0 -ctxcp 0 --cache-reuse 0 --slots --no-webui --warmup --offline"
    );
}

#[test]
fn settings_become_options_and_the_arguments_of_the_plan_come_last() {
    let asked = Settings {
        threads: 4.into(),
        context_length: 512.into(),
        prefill_chunk: 64.into(),
        kv_cache_dtype: "q8_0".to_owned().into(),
        placement: "gpu_layers=99; device=CUDA0".to_owned().into(),
        speculation: "draft:draft.gguf".to_owned().into(),
        arguments: vec!["--poll".to_owned(), "0".to_owned()].into(),
        ..settings()
    };
    assert_eq!(
        arguments(&asked).unwrap(),
        "--host 127.0.0.1 --port 4000 -m pico.gguf -c 512 -t 4 -tb 4 -b 64 -ub 64 -ctk q8_0 -ctv q8_0 -fa on -ngl 99 \
         -dev CUDA0 -np 1 --no-context-shift -cram 0 -ctxcp 0 --cache-reuse 0 --slots --no-webui --warmup --offline \
         -md draft.gguf --spec-type draft-simple --poll 0"
    );
    let ngram = Settings { speculation: "ngram:3".to_owned().into(), ..settings() };
    assert!(arguments(&ngram).unwrap().ends_with("--spec-type ngram-simple --spec-ngram-simple-size-n 3"));
    let cpu = Settings { placement: "cpu".to_owned().into(), ..settings() };
    assert!(arguments(&cpu).unwrap().contains(" -ngl 0 -dev none "));
}

#[test]
fn an_argument_that_a_setting_stands_for_is_refused() {
    for (argument, setting) in [
        ("-t", "threads"),
        ("-ot", "placement"),
        ("-hfd", "speculation"),
        ("--json-schema-file=s.json", "json_schema"),
        ("--grammar", "grammar"),
        ("--ctx-size=4096", "context_length"),
        ("-ctk", "kv_cache_dtype"),
    ] {
        let asked = Settings { arguments: vec![argument.to_owned()].into(), ..settings() };
        let told = refusal(&asked);
        assert!(told.contains(&format!("set `{setting}` instead")), "{told}");
    }
    for argument in [
        "--host",
        "--port=1",
        "-np",
        "--parallel",
        "--context-shift",
        "--mmproj-url",
        "--hf-token",
        "--rpc",
        "--spec-synth-len",
    ] {
        let asked = Settings { arguments: vec![argument.to_owned()].into(), ..settings() };
        let told = refusal(&asked);
        assert!(told.contains(&format!("`{argument}` is not left to the plan")), "{told}");
    }
}

#[test]
fn what_the_server_would_change_or_not_understand_is_refused_with_a_remedy() {
    let context = Settings { context_length: 1000.into(), ..settings() };
    assert!(refusal(&context).contains("ask for 1024"), "{}", refusal(&context));
    let place = Settings { placement: "on the moon".to_owned().into(), ..settings() };
    assert!(refusal(&place).contains("gpu_layers"), "{}", refusal(&place));
    for words in ["ngram:0", "eagle", "ngram:x"] {
        let speculation = Settings { speculation: words.to_owned().into(), ..settings() };
        assert!(refusal(&speculation).contains("ngram:N"), "{}", refusal(&speculation));
    }
    let model = Settings { model: "folder".to_owned().into(), ..settings() };
    assert!(refusal(&model).contains("llama.cpp reads GGUF files"), "{}", refusal(&model));
    let program = Settings { program: "./none".to_owned().into(), ..settings() };
    assert!(refusal(&program).contains("no such program"), "{}", refusal(&program));
}

#[test]
fn a_server_that_runs_already_is_not_started() {
    let attached = Settings { url: "http://127.0.0.1:8080".to_owned().into(), ..settings() };
    assert_eq!(launch(&attached, folder().path(), PORT).unwrap(), None);
}
