//! MLC-LLM as a server.

use crate::condition::{CacheState, Runtime, Settings};
use crate::engine::EngineError;
use crate::engine::openai::{Cold, Dialect, GoOn, OpenaiSpeaker, client, fingerprint_of};
use crate::engine::outside::{Launch, LocalFiles, Opening, Outside, program};
use std::path::Path;

/// `mlc_llm serve MODEL`: without its prefix cache unless the plan wants it warm, and with `--enable-debug`, which lets a
/// request ask for a fixed length.
pub(in crate::engine) fn launch(settings: &Settings, base: &Path, port: u16) -> Result<Launch, EngineError> {
    let model = settings.model.get().cloned().unwrap_or_default();
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
    let launch = Launch { program, arguments, environment: Vec::new(), ready: "/v1/models" };
    Ok(launch.with_arguments_of(settings))
}

/// Opens the server that planrun started, or the one at `url`.
///
/// # Errors
/// When it cannot be reached.
pub(in crate::engine) fn open(opening: &Opening<'_>) -> Result<Outside, EngineError> {
    let client = client(opening)?;
    let listed = client.get("/v1/models")?;
    // It serves one model, under the path or name that it was started with.
    let model = listed["data"][0]["id"]
        .as_str()
        .map_or_else(|| opening.model().map(str::to_owned), |id| Ok(id.to_owned()))?;
    let files = opening.named_files()?;
    let mut observed = files.as_ref().map(LocalFiles::observed_prompts).unwrap_or_default();
    opening.observe(&mut observed);
    if let Some(version) = fingerprint_of(&client, &model, false) {
        let binary = opening.endpoint.map(|endpoint| endpoint.binary.clone());
        observed.runtime = Runtime { name: "mlc_llm".to_owned(), version, binary }.into();
    }
    let dialect = Dialect {
        name: "mlc_llm",
        takes_ids: true,
        go_on: GoOn::Debug,
        cold: Cold::AtStart,
        ..Dialect::plain()
    };
    let process = opening.endpoint.map(|endpoint| endpoint.process);
    let speaker = OpenaiSpeaker::new(client, dialect, &model, files.as_ref(), opening.settings, process)?;
    Ok(Outside::new(files, observed, opening.settings.thinking, Box::new(speaker)))
}
