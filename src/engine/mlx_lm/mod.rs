//! MLX-LM: its server, or a worker that computes with its library. How workers are started and heard stands in the room
//! `worker`.

mod worker;

pub(super) use worker::{is_worker, open_worker};
