//! What the server really did, as it writes it down.

use serde::{Deserialize, Serialize};

/// One stream. Times are seconds since the server began to listen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Truth {
    /// The prompt, by which a client knows its stream again.
    pub(super) prompt: String,
    /// The client's `X-Request-ID`, where it sends one.
    pub(super) request_id: Option<String>,
    /// When the request had been read.
    pub(super) received: f64,
    /// For each token, just before it was handed to the network.
    pub(super) sent: Vec<f64>,
    /// Largest delay behind the schedule.
    pub(super) late: f64,
}
