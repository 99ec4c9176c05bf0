//! Where a server answers.

use serde::{Deserialize, Serialize};

/// A server that planrun started and that is ready to answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Endpoint {
    /// Its address (`http://127.0.0.1:41233`).
    pub url: String,
    /// Its process, whose memory is measured.
    pub process: u32,
    /// SHA-256 of its program (see [`identity`](super::identity)); `None` where what belongs to it cannot be found.
    pub binary: Option<String>,
    /// Seconds from its start until it was ready; `None` for one that served an earlier run: its time stands there.
    pub load_s: Option<f64>,
}

/// A server that runs already, and that nobody but its owner starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// Its address, as the plan has it.
    pub url: String,
    /// A path that costs it nothing, and at which it says whether it is ready.
    pub path: &'static str,
}
