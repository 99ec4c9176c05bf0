//! MLC-LLM as a server.

use crate::condition::{CacheState, Runtime, Settings};
use crate::engine::EngineError;
use crate::engine::openai::{
    Cold, Dialect, Form, GoOn, Holding, OpenaiSpeaker, client, fingerprint_of, listed_as,
};
use crate::engine::outside::{Launch, LocalFiles, Opening, Outside, program, refuse};
use std::path::Path;

/// Options that settings of the plan stand for.
const SPOKEN_FOR: &[(&str, &[&str])] = &[("prefix_cache", &["--prefix-cache-mode"])];
/// Options that planrun itself says.
const FIXED: &[&str] = &["--host", "--port", "--api-key", "--enable-debug"];

/// `mlc_llm serve MODEL`: without its prefix cache unless the plan wants it warm, and with `--enable-debug`, which lets a
/// request ask for a fixed length.
pub(in crate::engine) fn launch(settings: &Settings, base: &Path, port: u16) -> Result<Launch, EngineError> {
    refuse(settings, SPOKEN_FOR, FIXED)?;
    let model = settings.model.get().cloned().unwrap_or_default();
    if model.contains("://") {
        return Err(EngineError::Unsupported {
            field: "model",
            problem: format!("`{model}` would be downloaded while the server starts"),
            remedy: "download it, and name its folder".to_owned(),
        });
    }
    let folder = base.join(&model);
    let named = if folder.is_dir() { folder.display().to_string() } else { model };
    let mut arguments: Vec<String> =
        ["serve", &named, "--host", "127.0.0.1", "--port", &port.to_string(), "--enable-debug"]
            .map(str::to_owned)
            .into();
    if settings.prefix_cache.get() != Some(&CacheState::Warm) {
        arguments.extend(["--prefix-cache-mode", "disable"].map(str::to_owned));
    }
    let program = program(&settings.program, "mlc_llm", base)?;
    let launch = Launch {
        program,
        arguments,
        environment: vec![("HF_HUB_OFFLINE", "1".to_owned())],
        ready: "/v1/models",
    };
    Ok(launch.with_arguments_of(settings))
}

/// Opens the server that planrun started, or the one at `url`.
///
/// # Errors
/// When it cannot be reached, or serves another model.
pub(in crate::engine) fn open(opening: &Opening<'_>) -> Result<Outside, EngineError> {
    let client = client(opening)?;
    let model = listed_as(&client, opening.model()?)?;
    let files = opening.named_files()?;
    let mut observed = files.as_ref().map(LocalFiles::observed_prompts).unwrap_or_default();
    opening.observe(&mut observed);
    if let Some(version) = fingerprint_of(&client, &model, false) {
        let binary = opening.endpoint.and_then(|endpoint| endpoint.binary.clone());
        observed.runtime = Runtime { name: "mlc_llm".to_owned(), version, binary }.into();
    }
    let dialect = Dialect {
        name: "mlc_llm",
        takes_ids: true,
        go_on: GoOn::Debug,
        cold: Cold::AtStart,
        holds: Holding::SchemaAsText,
        ..Dialect::plain()
    };
    let process = opening.endpoint.map(|endpoint| endpoint.process);
    let constraint = opening.constraint()?;
    let form = Form::new(dialect, &model, files.as_ref(), opening.settings, constraint.as_ref())?;
    let speaker = Box::new(OpenaiSpeaker::new(client, form, process));
    Ok(Outside::new(files, observed, opening.settings.thinking, speaker).held_to(constraint))
}
