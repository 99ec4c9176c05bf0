//! From settings to an Ollama server with its model loaded.

use super::model::{Described, tagged};
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
    let constraint = opening.constraint()?;
    let form = Form::new(model, files.as_ref(), settings, constraint.as_ref())?;
    let version = client.get("/api/version")?;
    let described = Described::ask(&client, model)?;
    client.post("/api/generate", &form.loading())?;
    let mut observed = described.observed(model, files.as_ref());
    opening.observe(&mut observed);
    observed.context_length = loaded_context(&client, model).map_or_else(Default::default, Into::into);
    run_with(opening, &version, &mut observed);
    let speaker = Box::new(OllamaSpeaker { client, form });
    Ok(Outside::new(files, observed, settings.thinking, speaker).held_to(constraint))
}

/// The window that the model is loaded with, where the server tells it.
fn loaded_context(client: &Client, model: &str) -> Option<u32> {
    let loaded = client.get("/api/ps").ok()?;
    let name = tagged(model);
    let found = loaded["models"].as_array()?.iter().find(|held| held["name"] == name)?;
    found["context_length"].as_u64().and_then(|context| u32::try_from(context).ok())
}

/// The program. What it was told of threads, layers and the cache's format it may have passed over (a model that cannot have a
/// quantized cache gets `f16`), and it does not tell: that stays unknown.
fn run_with(opening: &Opening<'_>, version: &Value, observed: &mut Observed) {
    if let Some(version) = version["version"].as_str() {
        let binary = opening.endpoint.and_then(|endpoint| endpoint.binary.clone());
        observed.runtime = Runtime { name: "ollama".to_owned(), version: version.to_owned(), binary }.into();
    }
}
