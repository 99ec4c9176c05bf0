//! The connection to the hub: its address, the user's token, and what its refusals mean.

use super::error::Trouble;
use crate::engine::http::{host_of, is_loopback};
use crate::hub_cache::{HubCache, HubName, endpoint};
use hf_hub::api::sync::{Api, ApiBuilder, ApiError, ApiRepo};
use hf_hub::{Cache, Repo, RepoType};
use std::env;
use std::fs;
use std::time::Duration;

/// How long the first answer may take, connecting included; without a network it fails at once.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// A connection that is used only when something is missing here.
pub(super) struct Client {
    api: Api,
    /// The hub's address.
    endpoint: String,
    with_token: bool,
}

/// A refusal of the hub, as far as its answer tells.
pub(super) struct Refusal {
    pub(super) status: u16,
    /// The hub's own name for it (`RepoNotFound`, `GatedRepo`, ...); empty where it gives none.
    pub(super) code: String,
}

impl Client {
    pub(super) fn new(cache: &HubCache) -> Result<Self, Trouble> {
        let (endpoint, token) = (endpoint(), token());
        let with_token = token.is_some();
        let api = ApiBuilder::from_cache(Cache::new(cache.root().to_owned()))
            .with_endpoint(endpoint.clone())
            .with_token(token)
            .with_progress(false)
            .with_user_agent("planrun", env!("CARGO_PKG_VERSION"))
            .build()
            .map_err(|error| Trouble::Answer(error.to_string()))?;
        Ok(Self { api, endpoint, with_token })
    }

    /// Host and port.
    pub(super) fn host(&self) -> String {
        host_of(&self.endpoint)
    }

    pub(super) fn repository(&self, name: &HubName, revision: &str) -> ApiRepo {
        let repository = name.repository.clone();
        self.api.repo(Repo::with_revision(repository, RepoType::Model, revision.to_owned()))
    }

    /// What a refusal means; `asked` says what was asked for.
    pub(super) fn refused(&self, name: &HubName, refusal: &Refusal, asked: &str) -> Trouble {
        match (refusal.status, refusal.code.as_str()) {
            (401 | 403, "GatedRepo") | (403, _) => {
                Trouble::Gated { page: format!("{}/{}", self.endpoint, name.repository) }
            }
            (401, _) => Trouble::Hidden { host: self.host(), with_token: self.with_token },
            (404, "RevisionNotFound") => Trouble::NoRevision(name.revision().to_owned()),
            (404, "EntryNotFound") => Trouble::Lacks(format!("the repository has no `{asked}`")),
            (404, _) => Trouble::NoRepository { host: self.host() },
            (status, _) => Trouble::Status { host: self.host(), status, asked: asked.to_owned() },
        }
    }
}

/// What a failed download says: the hub's refusal, or how it broke off.
pub(super) fn cause(error: ApiError) -> Result<Refusal, String> {
    let ApiError::RequestError(error) = error else { return Err(error.to_string()) };
    let problem = error.to_string();
    let answer = error.into_response().ok_or(problem)?;
    let code = answer.header("x-error-code").unwrap_or_default().to_owned();
    Ok(Refusal { status: answer.status(), code })
}

/// True if requests to the hub stay on this machine.
pub(super) fn stays_here() -> bool {
    is_loopback(&endpoint())
}

/// `$HF_TOKEN`, or what `hf auth login` left.
fn token() -> Option<String> {
    let kept = || fs::read_to_string(HubCache::token_file()?).ok();
    let token = env::var("HF_TOKEN").ok().or_else(kept)?;
    Some(token.trim().to_owned()).filter(|token| !token.is_empty())
}
