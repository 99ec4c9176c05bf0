//! The engine inside this process: an own decoder for the Qwen3 architecture on candle's quantized matrix kernels.
//! No files are found here and no prompts rendered; the rooms beside this one do that.

mod attention;
mod build;
mod config;
mod decoder;
mod engine;
mod generate;
mod kernels;
mod kv_cache;
mod matrix;
mod rope;
mod sampler;
mod scheme;
mod weights;

pub use build::CANDLE_VERSION;
pub use engine::CandleEngine;
