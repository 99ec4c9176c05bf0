//! How a request can fail.

use std::borrow::Cow;

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
    #[error("{}; {}", refusal(.url, *.status, .message, *.retry_after), remedy(*.status, .variable.as_deref()))]
    Status {
        /// What was asked for.
        url: String,
        /// Status code.
        status: u16,
        /// The server's own words, shortened.
        message: String,
        /// Seconds after which the server wants to be asked again, where it says so.
        retry_after: Option<u64>,
        /// The environment variable whose value was sent as the key.
        variable: Option<String>,
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

impl HttpError {
    /// True if no answer came, or none was let through: nobody there, a connection that was cut, a key that was refused, a limit,
    /// a fault of the server's own. An answer that refuses the question is none.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Cut { .. } => true,
            Self::Status { status, .. } => matches!(status, 401 | 403 | 429 | 500..),
            Self::Answer { .. } => false,
        }
    }

    /// What happened, without what to do about it: for who knows better.
    pub fn without_remedy(&self) -> String {
        match self {
            Self::Status { url, status, message, retry_after, .. } => {
                refusal(url, *status, message, *retry_after)
            }
            other => other.to_string(),
        }
    }
}

fn refusal(url: &str, status: u16, message: &str, retry_after: Option<u64>) -> String {
    format!("{url}: status {status}{}: {message}", wait(retry_after))
}

fn wait(seconds: Option<u64>) -> String {
    seconds.map(|seconds| format!(" (ask again after {seconds} s)")).unwrap_or_default()
}

/// What to do about a status. Nothing is asked again by itself: a second try would hide the wait from the measurement.
fn remedy(status: u16, variable: Option<&str>) -> Cow<'static, str> {
    let remedy = match (status, variable) {
        (401 | 403, Some(variable)) => {
            return format!("the value of ${variable} was refused: set it to a key that the server takes")
                .into();
        }
        (status, _) => of_status(status),
    };
    remedy.into()
}

fn of_status(status: u16) -> &'static str {
    match status {
        300..=399 => "set `url` to where the server really is",
        401 | 403 => "name the environment variable that holds its key with `api_key`",
        404 => "check `url`, and that the server knows `model` by that name",
        413 => "shorten the prompt",
        429 => {
            "the server limits how much it is asked: wait, raise the limit, or ask another one (nothing was asked again)"
        }
        503 => "the server is busy or still loading: wait until it is ready (nothing was asked again)",
        500..=599 => "look into the server's own log",
        _ => "take out of the plan what the server refuses, or use another server",
    }
}
