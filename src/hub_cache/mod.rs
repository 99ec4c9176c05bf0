//! Models of the Hugging Face hub: how a plan names them, and where their files lie in the hub's own cache on this machine.
//! Nothing is fetched here, and no file of a model is read.

mod cache;
mod name;

pub use cache::{HubCache, endpoint, is_offline, pinned};
pub use name::{HubName, is_commit};
