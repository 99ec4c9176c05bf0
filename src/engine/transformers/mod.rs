//! Hugging Face transformers, in a worker: the half of its program that computes. How workers are started and heard stands
//! in the room `worker`.

mod open;

pub(super) use open::{open, worker};
