//! Fetching models from the Hugging Face hub into its cache: which files are needed, from which commit, and what went wrong.
//! Names and the cache itself are in [`crate::hub_cache`]; engines only open what lies there.

mod client;
mod download;
mod error;
mod fetch;
mod listing;
mod wanted;

pub use error::{HubError, Trouble};
pub use fetch::{Consent, Transfer, fetch};
