//! Ollama, by its own interface: what is started, which model it holds, what it is asked, and what its lines say.
//!
//! <https://github.com/ollama/ollama/blob/main/docs/api.md>. Written after that text and the server's source, and tried against
//! scripted peers only.

mod launch;
mod model;
mod open;
mod reply;
mod request;
mod speaker;

pub(super) use launch::launch;
pub(super) use open::open;
