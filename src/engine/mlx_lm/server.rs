//! `mlx_lm.server`: how it is started, and in what its interface differs from OpenAI's.
//!
//! It speaks HTTP/1.0, sends comments while it reads a prompt, and has neither a field to go on after the end of a turn nor a way
//! to empty its prompt cache; it tells how much of a prompt came from there.

use crate::condition::{CacheState, Runtime, Settings};
use crate::engine::EngineError;
use crate::engine::model_files::{self, Found};
use crate::engine::openai::{Cold, Dialect, Form, GoOn, OpenaiSpeaker, client, fingerprint_of};
use crate::engine::outside::{Launch, Opening, Outside, program, refuse};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The name under which the server knows the model that it was started with.
const ITS_MODEL: &str = "default_model";

/// Options that settings of the plan stand for.
const SPOKEN_FOR: &[(&str, &[&str])] = &[
    ("model", &["--model", "--adapter-path"]),
    ("prefix_cache", &["--prompt-cache-size", "--prompt-cache-bytes"]),
];
/// Options that planrun itself says.
const FIXED: &[&str] = &["--host", "--port", "--trust-remote-code"];

/// `mlx_lm.server --model FOLDER`: it keeps no prompt unless the plan wants a warm cache, and asks no hub for anything.
pub(in crate::engine) fn launch(settings: &Settings, base: &Path, port: u16) -> Result<Launch, EngineError> {
    refuse(settings, SPOKEN_FOR, FIXED)?;
    let folder = folder(settings.model.get().map(String::as_str).unwrap_or_default(), base)?;
    let mut arguments: Vec<String> =
        ["--model", &folder.display().to_string(), "--host", "127.0.0.1", "--port", &port.to_string()]
            .map(str::to_owned)
            .into();
    if settings.prefix_cache.get() != Some(&CacheState::Warm) {
        arguments.extend(["--prompt-cache-size", "0"].map(str::to_owned));
    }
    let launch = Launch {
        program: program(&settings.program, "mlx_lm.server", base)?,
        arguments,
        environment: vec![("HF_HUB_OFFLINE", "1".to_owned())],
        ready: "/health",
    };
    Ok(launch.with_arguments_of(settings))
}

fn folder(model: &str, base: &Path) -> Result<PathBuf, EngineError> {
    match model_files::find(model, base)? {
        Found::Folder(folder) => Ok(folder),
        Found::Gguf(path) => Err(EngineError::Unusable {
            path,
            problem: "MLX-LM reads no GGUF files".to_owned(),
            remedy: "name a folder with config.json, tokenizer.json and safetensors".to_owned(),
        }),
    }
}

/// Opens the server that planrun started, or the one at `url`. It says that it is healthy before the model is loaded, so one
/// token is asked for first, whose answer also carries its version.
///
/// # Errors
/// When the server cannot be reached, or the model's files cannot be read.
pub(in crate::engine) fn open(opening: &Opening<'_>) -> Result<Outside, EngineError> {
    let client = client(opening)?;
    let files = opening.files()?;
    client.get("/health")?;
    let started = opening.endpoint.is_some();
    let mut observed = if started { files.observed.clone() } else { files.observed_prompts() };
    opening.observe(&mut observed);
    if let Some(version) = fingerprint_of(&client, ITS_MODEL, true) {
        let binary = opening.endpoint.and_then(|endpoint| endpoint.binary.clone());
        observed.runtime = Runtime { name: "mlx_lm".to_owned(), version, binary }.into();
    }
    let dialect = Dialect {
        name: "mlx_lm",
        neutral: json!({ "top_k": 0, "min_p": 0.0 }),
        go_on: GoOn::Bias(files.prompts.vocabulary.end_ids().to_vec()),
        cold: Cold::AtStart,
        ..Dialect::plain()
    };
    let process = opening.endpoint.map(|endpoint| endpoint.process);
    let form = Form::new(dialect, ITS_MODEL, Some(&files), opening.settings, None)?;
    let speaker = Box::new(OpenaiSpeaker::new(client, form, process));
    Ok(Outside::new(Some(files), observed, opening.settings.thinking, speaker))
}
