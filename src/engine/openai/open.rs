//! From settings to a server that is ready to be asked.

use super::holding::check_version;
use super::request::Form;
use super::server::{Server, fingerprint_of};
use super::speaker::OpenaiSpeaker;
use crate::condition::{Runtime, Settings};
use crate::engine::EngineError;
use crate::engine::http::{Client, Secret};
use crate::engine::outside::{LocalFiles, Opening, Outside};

/// Attaches to the server at `url`.
///
/// # Errors
/// When it cannot be reached, refuses the key, or does not serve the model.
pub(in crate::engine) fn open(opening: &Opening<'_>) -> Result<Outside, EngineError> {
    let client = client(opening)?;
    let model = opening.model()?;
    let files = opening.named_files()?;
    let server = Server::ask(&client, model)?;
    let version = server.version.clone().or_else(|| fingerprint_of(&client, model, files.is_some()));
    let settings = opening.settings;
    let constraint = opening.constraint()?;
    let name = server.dialect.name.to_owned();
    let context = server.context();
    let form = Form::new(server.dialect, model, files.as_ref(), settings, constraint.as_ref())?;
    check_version(&form.held, version.as_deref())?;
    let mut observed = files.as_ref().map(LocalFiles::observed_prompts).unwrap_or_default();
    opening.observe(&mut observed);
    if let Some(version) = version {
        observed.runtime = Runtime { name, version, binary: None }.into();
    }
    if let Some(context) = context {
        observed.context_length = context.into();
    }
    let speaker = Box::new(OpenaiSpeaker::new(client, form, None));
    Ok(Outside::new(files, observed, settings.thinking, speaker).held_to(constraint))
}

/// The client for the server's root. An address may end in `/v1`, as other programs want it, or not: both mean the same.
///
/// # Errors
/// When there is no address, or no key in the variable that the settings name.
pub(in crate::engine) fn client(opening: &Opening<'_>) -> Result<Client, EngineError> {
    let url = opening.url()?.trim_end_matches('/');
    Ok(Client::new(url.strip_suffix("/v1").unwrap_or(url), key(opening.settings)?))
}

/// The key for the server at `url`, where the settings name a variable that holds one.
///
/// # Errors
/// When the variable is not set, or holds what cannot be sent.
pub(in crate::engine) fn key(settings: &Settings) -> Result<Option<Secret>, EngineError> {
    let key = settings.api_key.get().map(|variable| Secret::from_environment(variable)).transpose();
    key.map_err(|problem| EngineError::Unsupported {
        field: "api_key",
        problem,
        remedy: "set it to the server's key, or take `api_key` out".to_owned(),
    })
}
