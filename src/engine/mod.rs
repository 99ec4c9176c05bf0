//! Engines: who answers. Each is handed [`crate::condition::Settings`] and never sees a plan. What they can do stands in
//! [`crate::abilities`].

mod contract;
pub mod pico;

pub use contract::{Engine, EngineError};
