//! llama.cpp without a server: `llama-completion`, one process for each request. It reads the prompt from its standard input,
//! writes the reply as it comes, and says at its end what it counted and how long it computed.

mod arguments;
mod open;
mod output;
mod perf;
mod speaker;

pub(in crate::engine) use arguments::program;
pub(in crate::engine) use open::open;
