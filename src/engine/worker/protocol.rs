//! What is said over the pipes: one JSON object on each line.

use serde::{Deserialize, Serialize};

/// A reply to make.
#[derive(Debug, Serialize)]
pub(super) struct Asked<'a> {
    /// The prompt's token ids.
    pub(super) ids: &'a [u32],
    /// Tokens to generate at most; at least one.
    pub(super) max_tokens: u32,
    /// Tokens that end the reply; none where it is to go on after them.
    pub(super) ends: &'a [u32],
    /// 0 is greedy.
    pub(super) temperature: f64,
    /// `None` keeps all.
    pub(super) top_k: Option<u32>,
    /// `None` keeps all.
    pub(super) top_p: Option<f64>,
    /// Of this request's sampler.
    pub(super) seed: u64,
    /// What is in the cache of the request before may be used.
    pub(super) warm: bool,
}

/// A line of a worker.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Said {
    /// The model is open.
    Ready(Ready),
    /// Tokens of the reply.
    Token {
        /// Their ids.
        ids: Vec<u32>,
        /// Seconds until they were chosen, by the worker's clock.
        at: f64,
    },
    /// The reply is whole.
    End(End),
    /// It went wrong.
    Error(Trouble),
}

/// What a worker says of itself once the model is open.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Ready {
    /// Version of Python.
    pub(super) python: String,
    /// The interpreter's file, links followed.
    pub(super) executable: Option<std::path::PathBuf>,
    /// Libraries with their versions, the one that generates first.
    pub(super) packages: Vec<(String, String)>,
    /// SHA-256 over the installer's hashes of the libraries' files; `None` where there are none.
    pub(super) digest: Option<String>,
    /// Where the model is.
    pub(super) device: Option<String>,
    /// Formats of the layers' matrices, with how many numbers stand in them.
    pub(super) weights: Vec<(String, usize)>,
    /// Format of the key/value cache.
    pub(super) cache: Option<String>,
    /// CPU threads, where the library says.
    pub(super) threads: Option<u32>,
    /// Most tokens that the model is made for.
    pub(super) context_length: Option<u32>,
}

/// The end of a reply.
#[derive(Debug, Deserialize)]
pub(super) struct End {
    /// Why it ended.
    pub(super) stop: Stop,
    /// Tokens of it, the ending one included.
    pub(super) tokens: u32,
    /// Tokens of the prompt.
    pub(super) prompt_tokens: u32,
    /// Of these, from the cache, as the library's own cache says.
    pub(super) cached_tokens: Option<u32>,
    /// Most memory of the accelerator that the reply took, in MiB; `None` where there is none.
    pub(super) peak_memory_mib: Option<f64>,
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stop {
    /// An ending token.
    Eos,
    /// As many tokens as were asked for.
    Length,
}

/// What went wrong in Python.
#[derive(Debug, Deserialize)]
pub(super) struct Trouble {
    /// Of which kind it is.
    pub(super) cause: Cause,
    /// The module that is not there.
    #[serde(default)]
    pub(super) module: Option<String>,
    /// In Python's words.
    pub(super) message: String,
}

/// Kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Cause {
    /// A module could not be imported.
    Module,
    /// There was not enough memory.
    Memory,
    /// Anything else.
    Exception,
}
