//! llama.cpp through `llama-server`: how it is started, what it is asked with, and what its answers say. Prompts are
//! written, and replies checked, in [`super::outside`]. Its program without a server has a room of its own.

pub(super) mod command_line;
mod gguf_file;
mod launch;
mod open;
mod placement;
mod props;
mod reply;
mod request;
mod speaker;
mod speculation;

pub(super) use launch::launch;
pub(super) use open::open;
