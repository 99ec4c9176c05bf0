//! MLX-LM: its server, with the interface of OpenAI in its own dialect, or a worker that computes with its library. How workers are
//! started and heard stands in the room `worker`.
//!
//! <https://github.com/ml-explore/mlx-lm/blob/main/mlx_lm/SERVER.md>

mod server;
mod worker;

pub(super) use server::{launch as launch_server, open as open_server};
pub(super) use worker::{is_worker, open_worker, worker};
