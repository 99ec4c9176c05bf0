//! How a request can fail.

/// Why a server gave no, or no whole, answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HttpError {
    /// Nobody answered.
    #[error("{url}: no answer ({problem}); is the server running, and is the address right?")]
    Unreachable {
        /// Where.
        url: String,
        /// What the network says.
        problem: String,
    },
    /// The server refused.
    #[error("{url}: status {status}{}: {message}", wait(*.retry_after))]
    Status {
        /// What was asked for.
        url: String,
        /// Status code.
        status: u16,
        /// The server's own words, shortened.
        message: String,
        /// Seconds after which the server wants to be asked again, where it says so.
        retry_after: Option<u64>,
    },
    /// The answer is something else than it must be.
    #[error("{url}: {problem}")]
    Answer {
        /// What was asked for.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The connection ended, or failed, in the middle of an answer.
    #[error("{url}: the connection was cut after {bytes} bytes of the answer ({problem})")]
    Cut {
        /// What was asked for.
        url: String,
        /// Bytes that had arrived.
        bytes: u64,
        /// How it ended.
        problem: String,
    },
}

fn wait(seconds: Option<u64>) -> String {
    seconds.map(|seconds| format!(" (ask again after {seconds} s)")).unwrap_or_default()
}
