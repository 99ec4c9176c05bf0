//! Further families, computed by the models of candle-transformers: one sequence, f32, prompts read in one pass. What is
//! wrong or missing in those models for some configuration is refused here by name (docs/decisions/families.md).

mod configuration;
mod description;
mod families;
mod family;
mod load;
mod panics;
mod tensors;
mod upstream_model;

pub(super) use description::Description;
pub(in crate::engine) use description::problem_of;
pub(super) use family::known_as_gguf;
pub(super) use load::{foresee, load};
