//! What all engines outside this program share: how their program is started, what is known of it, where their model's
//! files are, and the one [`Engine`](super::Engine) that writes prompts here and lets a [`Speaker`] send them. What a certain
//! server or program understands stands in the room of its name.

mod arguments;
mod binary;
mod constraint;
mod endpoint;
mod engine;
mod environment;
mod launch;
mod local_files;
mod program;
mod python;
mod speaker;

pub(super) use arguments::refuse;
pub use binary::identity;
pub(super) use constraint::{Constraint, Fields};
pub use endpoint::{Attached, Endpoint};
pub(super) use engine::{Outside, silent};
pub use environment::without_the_shells_settings;
pub use launch::{Launch, OwnProgram};
pub(super) use local_files::{LocalFiles, scheme_of_gguf};
pub use program::not_started;
pub(super) use program::program;
pub(super) use speaker::{Opening, Speaker};
