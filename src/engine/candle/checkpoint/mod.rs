//! Where the decoder's tensors come from: one [`Checkpoint`] for each file format, the same [`Part`]s in all.

mod contract;
mod gguf;
mod hugging_face;
mod part;
mod stored;

pub(super) use contract::{Checkpoint, CheckpointError};
pub(super) use hugging_face::HuggingFace;
pub(super) use part::{LayerPart, Part};
pub(super) use stored::Stored;
