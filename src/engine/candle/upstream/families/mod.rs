//! One file a family: what of a configuration is refused, and how the model is built.

pub(super) mod gemma2;
pub(super) mod glm4;
pub(super) mod granite;
pub(super) mod granite_hybrid;
pub(super) mod lfm2;
pub(super) mod olmo2;
pub(super) mod phi3;
