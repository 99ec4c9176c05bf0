//! Streaming HTTP for engines that are servers: requests, stamped lines, server-sent events. What the events mean is said
//! by each engine.

mod address;
mod client;
mod error;
mod events;
mod lines;
mod secret;
mod under_way;

pub use address::{host_of, is_loopback, port_of};
pub use client::Client;
pub use error::HttpError;
pub use events::{Event, Events};
pub use lines::{Line, Lines, MOST_LINE};
pub use secret::Secret;
pub use under_way::under_way;
