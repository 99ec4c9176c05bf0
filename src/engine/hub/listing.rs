//! What a repository holds at a revision.

use super::client::{Client, PATIENCE, Refusal};
use super::error::Trouble;
use crate::hub_cache::HubName;
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
        let answer = match request.query("blobs", "true").timeout(PATIENCE).call() {
            Ok(answer) => answer,
            Err(error) => {
                let problem = error.to_string();
                return Err(match error.into_response() {
                    Some(answer) => {
                        let code = answer.header("x-error-code").unwrap_or_default().to_owned();
                        client.refused(name, &Refusal { status: answer.status(), code }, "the list of files")
                    }
                    None => Trouble::Unreachable {
                        host: client.host(),
                        problem: without_address(&problem),
                        folder: folder.to_owned(),
                    },
                });
            }
        };
        let text = answer.into_string().map_err(|error| Trouble::Answer(error.to_string()))?;
        Self::read(&text).map_err(Trouble::Answer)
    }

    fn read(text: &str) -> Result<Self, String> {
        let listing: Self = serde_json::from_str(text).map_err(|error| format!("list of files: {error}"))?;
        let pinned =
            HubName { repository: String::new(), revision: Some(listing.commit.clone()), file: None };
        match pinned.commit() {
            Some(_) => Ok(listing),
            None => Err(format!("`{}` is no commit", listing.commit.escape_debug())),
        }
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
