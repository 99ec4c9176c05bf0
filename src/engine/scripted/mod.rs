//! A deterministic stand-in for a model, on a virtual clock: for tests, dry runs and rehearsed misfortunes. Replies,
//! token ids and times follow from a hash of prompt and settings. [`Script`] documents the model names it answers to.

mod engine;
mod reply;
mod script;

pub(super) use engine::ScriptedEngine;
pub use script::{SALT_VARIABLE, Script, ScriptError};
