//! The embedded model `pico`: a small Qwen3 decoder that ships inside the binary, with the tokenizer,
//! the generated tasks and the trainer that make it. Inference of it belongs to the candle engine.

mod assets;
mod dialogue;
mod shape;
pub mod tasks;
mod tokenizer;
mod trainer;

pub use assets::{Assets, assets};
pub use dialogue::{Dialogue, Encoder};
pub use shape::Shape;
pub use tasks::write_task_sets;
pub use tokenizer::{build_tokenizer, tokenizer_config};
pub use trainer::{FamilyScore, TrainConfig, TrainError, TrainProgress, evaluate, export_assets, train};
