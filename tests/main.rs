//! All integration tests, one module a subject.

#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test, in helpers too

mod pico_assets;
mod pico_tasks;
mod pico_training;
