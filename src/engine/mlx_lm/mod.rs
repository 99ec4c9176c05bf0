//! MLX-LM: its server, with the interface of OpenAI in its own dialect.
//!
//! <https://github.com/ml-explore/mlx-lm/blob/main/mlx_lm/SERVER.md>

mod server;

pub(super) use server::{launch as launch_server, open as open_server};
