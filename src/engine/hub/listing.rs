//! What a repository holds at a revision.

use super::client::{Client, PATIENCE, cause};
use super::error::Trouble;
use crate::hub_cache::{HubName, is_commit};
use serde::Deserialize;
use std::path::Path;

/// The files of one commit.
#[derive(Debug, Deserialize)]
pub(super) struct Listing {
    /// The commit.
    #[serde(rename = "sha")]
    pub(super) commit: String,
    #[serde(rename = "siblings")]
    pub(super) files: Vec<Listed>,
}

/// One file of a repository.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Listed {
    /// Its path in the repository.
    #[serde(rename = "rfilename")]
    pub(super) name: String,
    /// Bytes.
    pub(super) size: Option<u64>,
    /// The hub's name for its content.
    #[serde(rename = "blobId")]
    blob_id: Option<String>,
    /// What is known of a large file.
    lfs: Option<LargeFile>,
}

#[derive(Debug, Clone, Deserialize)]
struct LargeFile {
    sha256: Option<String>,
}

impl Listed {
    /// What its content is called in the cache.
    pub(super) fn blob(&self) -> Option<&str> {
        let name = self.sha256().or(self.blob_id.as_deref())?;
        name.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(name)
    }

    /// SHA-256, which the hub knows of large files.
    pub(super) fn sha256(&self) -> Option<&str> {
        self.lfs.as_ref()?.sha256.as_deref()
    }
}

impl Listing {
    /// Asks the hub; `folder` is where the model is missing.
    pub(super) fn ask(client: &Client, name: &HubName, folder: &Path) -> Result<Self, Trouble> {
        let request = client.repository(name, name.revision()).info_request();
        let asked = request.query("blobs", "true").timeout(PATIENCE).call();
        let answer = asked.map_err(|error| match cause(Box::new(error).into()) {
            Ok(refusal) => client.refused(name, &refusal, "the list of files"),
            Err(problem) => Trouble::Unreachable {
                host: client.host(),
                problem: without_address(&problem),
                folder: folder.to_owned(),
            },
        })?;
        let text = answer.into_string().map_err(|error| Trouble::Answer(error.to_string()))?;
        Self::read(&text).map_err(Trouble::Answer)
    }

    fn read(text: &str) -> Result<Self, String> {
        let listing: Self = serde_json::from_str(text).map_err(|error| format!("list of files: {error}"))?;
        if is_commit(&listing.commit) {
            return Ok(listing);
        }
        Err(format!("`{}` is no commit", listing.commit.escape_debug()))
    }

    /// The file of this name.
    pub(super) fn find(&self, name: &str) -> Option<&Listed> {
        self.files.iter().find(|file| file.name == name)
    }
}

/// The client puts the whole address before each problem; the host is told already.
fn without_address(problem: &str) -> String {
    problem.split_once(": ").map_or(problem, |(_, rest)| rest).to_owned()
}
