//! What a decoder computes: one description for all families, read from `config.json` or GGUF metadata.

mod decoder_shape;
mod gguf;
mod hugging_face;
mod rope;

pub(super) use decoder_shape::{Activation, Architecture, number_of_layers};
pub(in crate::engine) use gguf::row_lengths;
pub(super) use gguf::{ShapeError, from_gguf};
pub(super) use hugging_face::parse;
pub(super) use rope::{Pairing, Rope};
