//! The cache that all programs for the hub share.
//! Layout: <https://huggingface.co/docs/huggingface_hub/guides/manage-cache>.

use super::name::{HubName, is_commit};
use std::env;
use std::path::{Path, PathBuf};

/// Where files come from unless `HF_ENDPOINT` names another place.
const ENDPOINT: &str = "https://huggingface.co";

/// The hub's cache on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubCache {
    root: PathBuf,
}

impl HubCache {
    /// `$HF_HUB_CACHE`, `$HF_HOME/hub`, `$XDG_CACHE_HOME/huggingface/hub` or `~/.cache/huggingface/hub`, the first of them
    /// that is set; `None` where not even a home is known.
    pub fn from_environment() -> Option<Self> {
        let root = match folder("HF_HUB_CACHE") {
            Some(root) => root,
            None => home()?.join("hub"),
        };
        Some(Self { root })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of a repository.
    pub fn repository(&self, name: &HubName) -> PathBuf {
        self.root.join(format!("models--{}", name.repository.replace('/', "--")))
    }

    /// The commit that a name means here: its own, or the one that its branch or tag had when it was last fetched.
    pub fn commit(&self, name: &HubName) -> Option<String> {
        if let Some(commit) = name.commit() {
            return Some(commit.to_owned());
        }
        let noted = std::fs::read_to_string(self.repository(name).join("refs").join(name.revision())).ok()?;
        Some(noted.trim().to_owned()).filter(|commit| is_commit(commit))
    }

    /// The folder with the files of a commit, there or not.
    pub fn snapshot(&self, name: &HubName, commit: &str) -> PathBuf {
        self.repository(name).join("snapshots").join(commit)
    }

    /// The folder of the snapshot that a name means here, if there is one.
    pub fn find(&self, name: &HubName) -> Option<PathBuf> {
        let folder = self.snapshot(name, &self.commit(name)?);
        folder.is_dir().then_some(folder)
    }

    /// Where it is noted that a commit has no file of this name, there or not.
    pub fn absence(&self, name: &HubName, commit: &str, file: &str) -> PathBuf {
        self.repository(name).join(".no_exist").join(commit).join(file)
    }

    /// Where the user's access token is kept.
    pub fn token_file() -> Option<PathBuf> {
        folder("HF_TOKEN_PATH").or_else(|| Some(home()?.join("token")))
    }
}

/// A model of the hub at the commit that its name means here; `None` for other models, and where nothing is known of it.
pub fn pinned(model: &str) -> Option<HubName> {
    let name = HubName::parse(model)?.ok()?;
    let commit = HubCache::from_environment()?.commit(&name)?;
    Some(name.at(&commit))
}

/// The address of the hub, without a slash at its end.
pub fn endpoint() -> String {
    let named = env::var("HF_ENDPOINT").ok().filter(|address| !address.trim().is_empty());
    named.as_deref().unwrap_or(ENDPOINT).trim().trim_end_matches('/').to_owned()
}

/// True if the user has forbidden requests to the hub with `HF_HUB_OFFLINE`.
pub fn is_offline() -> bool {
    let said = env::var("HF_HUB_OFFLINE").unwrap_or_default().to_ascii_uppercase();
    matches!(said.as_str(), "1" | "ON" | "YES" | "TRUE")
}

fn home() -> Option<PathBuf> {
    let caches = || folder("XDG_CACHE_HOME").or_else(|| Some(env::home_dir()?.join(".cache")));
    folder("HF_HOME").or_else(|| Some(caches()?.join("huggingface")))
}

fn folder(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}
