//! From settings to an Ollama server with its model loaded.

use super::model::Described;
use super::request::Form;
use super::speaker::OllamaSpeaker;
use crate::condition::{Observed, Runtime};
use crate::engine::EngineError;
use crate::engine::http::Client;
use crate::engine::openai::client;
use crate::engine::outside::{Opening, Outside};
use serde_json::Value;

/// Opens the model at the server that planrun started, or at `url`, and has it loaded.
///
/// # Errors
/// When the server cannot be reached, does not have the model, or cannot load it.
pub(in crate::engine) fn open(opening: &Opening<'_>) -> Result<Outside, EngineError> {
    let client = client(opening)?;
    let (model, settings) = (opening.model()?, opening.settings);
    if opening.endpoint.is_none() && settings.kv_cache_dtype.get().is_some() {
        return Err(EngineError::Unsupported {
            field: "kv_cache_dtype",
            problem: "a server that runs already has chosen it".to_owned(),
            remedy: "take it out, or take `url` out and let planrun start the server".to_owned(),
        });
    }
    let files = opening.named_files()?;
    let form = Form::new(model, files.as_ref(), settings)?;
    let version = client.get("/api/version")?;
    let described = Described::ask(&client, model)?;
    client.post("/api/generate", &form.loading())?;
    let mut observed = described.observed(model, files.as_ref());
    opening.observe(&mut observed);
    observed.context_length = loaded_context(&client).unwrap_or(form.context).into();
    run_with(opening, &version, &mut observed);
    let process = opening.endpoint.map(|endpoint| endpoint.process);
    Ok(Outside::new(files, observed, settings.thinking, Box::new(OllamaSpeaker { client, form, process })))
}

/// The window of the one model that is loaded, where the server tells it.
fn loaded_context(client: &Client) -> Option<u32> {
    let loaded = client.get("/api/ps").ok()?;
    loaded["models"][0]["context_length"].as_u64().and_then(|context| u32::try_from(context).ok())
}

/// The program, and what planrun itself started it with.
fn run_with(opening: &Opening<'_>, version: &Value, observed: &mut Observed) {
    if let Some(version) = version["version"].as_str() {
        let binary = opening.endpoint.map(|endpoint| endpoint.binary.clone());
        observed.runtime = Runtime { name: "ollama".to_owned(), version: version.to_owned(), binary }.into();
    }
    if opening.endpoint.is_some() {
        if opening.settings.kv_cache_dtype.get().is_some() {
            observed.kv_cache_dtype = opening.settings.kv_cache_dtype.clone();
        }
        if opening.settings.threads.get().is_some() {
            observed.threads = opening.settings.threads;
        }
    }
}
