//! The trainer of the embedded model: a decoder on candle's autograd with hand-written backward passes,
//! Muon and `AdamW`, seeded batches, checkpoints and the learning curve.

mod adamw;
mod batches;
mod checkpoint;
mod curve;
mod evaluate;
mod export;
mod gradients;
mod model;
mod muon;
mod ops;
mod optimizer;
mod parameters;
mod run;
mod schedule;

pub use evaluate::{FamilyScore, evaluate};
pub use export::export_assets;
pub use run::{TrainConfig, TrainError, TrainProgress, train};
