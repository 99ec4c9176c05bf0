//! How exactly a client times streams: a server in a process of its own streams tokens at known moments and writes down when
//! it really did; what the client saw is held against that.
//! `command -> client (the engine that plans use) and server (also alone, for other clients); then errors -> table`.

mod client;
mod command;
mod connection;
mod errors;
mod pacer;
mod server;
mod truth;

pub(in crate::cli) use command::overhead;
pub(in crate::cli) use server::{StreamServerArguments, serve};
