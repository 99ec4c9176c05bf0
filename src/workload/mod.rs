//! How an engine is asked: prompts rendered beforehand, a warm-up apart, requests one after the other, replies as items.
//! Nothing here opens an engine, judges a number or writes a file.

mod asked;
mod drive;
mod job;
mod likelihood;
mod reply;
mod thinking;

pub use asked::{PRIMER, prompts};
pub use drive::drive;
pub use job::{DriveError, Driven, Job, Progress, Render};
