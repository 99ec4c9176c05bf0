//! Why a model could not be fetched.

use std::io;
use std::path::PathBuf;

/// A model and what stood in the way.
#[derive(Debug, thiserror::Error)]
#[error("{model}: {trouble}; {}", trouble.remedy())]
pub struct HubError {
    /// The model as the plan names it.
    pub model: String,
    /// What stood in the way.
    pub trouble: Trouble,
}

/// What can stand between a plan and its model.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The name is no model's name.
    #[error("{0}")]
    Name(String),
    /// Neither a home nor a place for the cache is known.
    #[error("there is no home directory and so no place for the hub's cache")]
    NoCache,
    /// It would have to be fetched, and the user has not allowed it.
    #[error(
        "it is not in {folder} and would be fetched from {host}, and nobody has allowed this plan to use the network"
    )]
    NotAllowed {
        /// Where it was looked for.
        folder: PathBuf,
        /// Whence it would come.
        host: String,
    },
    /// It would have to be fetched, and the user has forbidden requests.
    #[error("`{missing}` is not in {folder}, and HF_HUB_OFFLINE forbids to fetch it")]
    Offline {
        /// What is missing.
        missing: String,
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// The hub does not answer.
    #[error("{host} does not answer ({problem}), and the model is not in {folder}")]
    Unreachable {
        /// Who was asked.
        host: String,
        /// How it failed.
        problem: String,
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// The hub says 401: it shows strangers neither what is private nor what does not exist.
    #[error("{host} does not show this repository {}", if *.with_token { "with your token" } else { "without a token" })]
    Hidden {
        /// Who was asked.
        host: String,
        /// A token was sent.
        with_token: bool,
    },
    /// The hub says 403: the user has not accepted the model's conditions.
    #[error("its authors give access only to those who accept their conditions")]
    Gated {
        /// Where to accept them.
        page: String,
    },
    /// There is no such repository.
    #[error("{host} has no such repository")]
    NoRepository {
        /// Who was asked.
        host: String,
    },
    /// There is no such revision.
    #[error("the repository has no revision `{0}`")]
    NoRevision(String),
    /// The hub refuses for another reason.
    #[error("{host} answers with status {status} for {asked}")]
    Status {
        /// Who was asked.
        host: String,
        /// The HTTP status.
        status: u16,
        /// What was asked for.
        asked: String,
    },
    /// The hub's answer cannot be understood.
    #[error("the hub's answer cannot be used: {0}")]
    Answer(String),
    /// The repository lacks what a model needs.
    #[error("{0}")]
    Lacks(String),
    /// A download broke off; what came of it goes on from there next time.
    #[error("the download of `{file}` broke off: {problem}")]
    BrokenOff {
        /// Which file.
        file: String,
        /// How.
        problem: String,
    },
    /// What came is not what the hub announced.
    #[error("what came for `{file}` is not what the hub announced ({problem}), and was removed")]
    Spoilt {
        /// Which file.
        file: String,
        /// How it differs.
        problem: String,
    },
    /// The cache cannot be used.
    #[error("{path}: {problem}")]
    Cache {
        /// Where.
        path: PathBuf,
        /// What the system says.
        problem: io::Error,
    },
}

impl Trouble {
    /// What to do about it.
    pub fn remedy(&self) -> String {
        match self {
            Self::Name(_) => crate::hub_cache::HubName::REMEDY.to_owned(),
            Self::NoCache => "set HF_HOME to a folder".to_owned(),
            Self::NotAllowed { .. } => "add `--allow-net` to the command".to_owned(),
            Self::Offline { .. } => "unset HF_HUB_OFFLINE once, to fetch it".to_owned(),
            Self::Unreachable { .. } => {
                "connect to the network once, to fetch it, or set HF_ENDPOINT to a mirror that you can reach".to_owned()
            }
            Self::Hidden { with_token: false, .. } => {
                "check the name; for a private or gated model set HF_TOKEN to a token of an account that may read it"
                    .to_owned()
            }
            Self::Hidden { with_token: true, .. } => {
                "check the name, and that the token is valid and its account may read the model".to_owned()
            }
            Self::Gated { page } => {
                format!("accept them at {page}, and set HF_TOKEN to a token of the same account")
            }
            Self::NoRepository { .. } => "check the name".to_owned(),
            Self::NoRevision(_) => {
                "name a branch, a tag or the 40 digits of a commit that the repository has".to_owned()
            }
            Self::Status { status: 429, .. } => "wait a while, or set HF_TOKEN".to_owned(),
            Self::Status { .. } | Self::Answer(_) => "try again later, or check HF_ENDPOINT".to_owned(),
            Self::Lacks(_) => "choose a repository with safetensors files, or name one of its GGUF files".to_owned(),
            Self::BrokenOff { .. } | Self::Spoilt { .. } => "run the same command again".to_owned(),
            Self::Cache { .. } => "check who may write there, and how much room is left".to_owned(),
        }
    }
}
