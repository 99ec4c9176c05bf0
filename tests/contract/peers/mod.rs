//! Peers of known truth: each speaks one server's protocol, keeps what that server keeps, and has the same pretended model behind it.

pub(crate) mod completion;
pub(crate) mod llama_server;
mod model;
pub(crate) mod ollama;
pub(crate) mod openai;
pub(crate) mod worker;

pub(crate) use model::{CONTEXT, END, Heard, MISHAP, Model, Said, TooLong};
