//! Records and model files built in code, for the tests of everything that reads them.

pub(crate) mod allocation;
pub(crate) mod asking;
pub(crate) mod desk;
pub(crate) mod environment;
pub(crate) mod families;
pub(crate) mod folder;
pub(crate) mod gguf;
pub(crate) mod hub;
pub(crate) mod pico_folder;
pub(crate) mod plan;
pub(crate) mod readers;
pub(crate) mod record;
pub(crate) mod scripted_server;
pub(crate) mod started;
pub(crate) mod tiny;
mod tiny_folder;
pub(crate) mod vocabulary;
pub(crate) mod worker;
