//! The engine inside this process: an own decoder for the families of small models, and candle's models for others.
//! No files are found here and no prompts rendered; the rooms beside this one do that.

mod architecture;
mod attention;
mod build;
mod checkpoint;
mod decoder;
mod engine;
mod footprint;
mod generate;
mod kernels;
mod kv_cache;
mod lanes;
mod layer;
mod likelihood;
mod load;
mod logits;
mod matrix;
mod model;
mod projection;
mod rope_table;
mod sampler;
mod scheme;
mod support;
mod upstream;
mod weights;

pub(super) use architecture::row_lengths;
pub use build::{CANDLE_TRANSFORMERS_VERSION, CANDLE_VERSION};
pub use engine::CandleEngine;
pub(super) use load::foresee;
pub(super) use upstream::problem_of;
