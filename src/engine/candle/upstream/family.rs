//! The families, and what is particular to each.

use super::configuration::Configuration;
use super::families::{gemma2, glm4, granite, granite_hybrid, lfm2, olmo2, phi3};
use candle_core::{Result, Tensor};
use candle_nn::VarBuilder;
use std::fmt::Debug;

/// A model of candle-transformers at work.
pub(super) trait Forward: Debug {
    /// Logits that follow the last of `tokens` (1 x their number), which stand at `position` and after.
    fn forward(&mut self, tokens: &Tensor, position: usize) -> Result<Tensor>;

    /// Empties the caches.
    fn clear(&mut self);
}

/// A family, by its functions.
#[derive(Debug)]
pub(super) struct Family {
    /// `model_type` of `config.json`.
    pub(super) name: &'static str,
    /// `general.architecture` of a GGUF file.
    gguf: &'static str,
    /// Says what of a configuration the model would compute wrongly or not at all.
    pub(super) refuse: fn(&Configuration) -> std::result::Result<(), String>,
    /// Builds the model from a configuration that was not refused, for sequences of so many tokens.
    pub(super) build: fn(&Configuration, usize, VarBuilder<'_>) -> Result<Box<dyn Forward>>,
    /// Tensors that a tensor of the model is put together from, where it stands in the files under another name.
    pub(super) stored_as: fn(&str) -> Option<Vec<String>>,
}

const FAMILIES: &[Family] = &[
    Family { name: "gemma2", gguf: "gemma2", refuse: gemma2::refuse, build: gemma2::build, stored_as: alike },
    Family { name: "glm4", gguf: "glm4", refuse: glm4::refuse, build: glm4::build, stored_as: alike },
    Family {
        name: "granite",
        gguf: "granite",
        refuse: granite::refuse,
        build: granite::build,
        stored_as: granite::stored_as,
    },
    Family {
        name: "granitemoehybrid",
        gguf: "granitehybrid",
        refuse: granite_hybrid::refuse,
        build: granite_hybrid::build,
        stored_as: alike,
    },
    Family { name: "lfm2", gguf: "lfm2", refuse: lfm2::refuse, build: lfm2::build, stored_as: alike },
    Family { name: "olmo2", gguf: "olmo2", refuse: olmo2::refuse, build: olmo2::build, stored_as: alike },
    Family { name: "phi3", gguf: "phi3", refuse: phi3::refuse, build: phi3::build, stored_as: alike },
];

/// The family of this `model_type`.
pub(super) fn named(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.name == name)
}

/// The family of a GGUF file of this architecture; only folders of it are read.
pub(in crate::engine::candle) fn known_as_gguf(architecture: &str) -> Option<&'static str> {
    FAMILIES.iter().find(|family| family.gguf == architecture).map(|family| family.name)
}

/// For families whose tensors have the same names everywhere.
fn alike(_: &str) -> Option<Vec<String>> {
    None
}
