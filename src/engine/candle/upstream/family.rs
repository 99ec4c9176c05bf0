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

/// [`Forward`] for a model that keeps its cache itself.
macro_rules! keeps_its_cache {
    ($model:ty) => {
        impl Forward for $model {
            fn forward(&mut self, tokens: &Tensor, position: usize) -> Result<Tensor> {
                <$model>::forward(self, tokens, position)
            }

            fn clear(&mut self) {
                self.clear_kv_cache();
            }
        }
    };
}
pub(super) use keeps_its_cache;

/// A model whose cache stands beside it. Upstream cannot empty such a cache, or keeps a mask in it for each length that it
/// has met, so a sequence begins with a fresh copy.
pub(super) struct WithCache<M, C> {
    model: M,
    cache: C,
    empty: C,
    pass: Pass<M, C>,
}

/// One call of the model: tokens, position of the first, cache.
type Pass<M, C> = fn(&mut M, &Tensor, usize, &mut C) -> Result<Tensor>;

impl<M, C: Clone> WithCache<M, C> {
    /// A model with its cache, which is empty.
    pub(super) fn new(model: M, empty: C, pass: Pass<M, C>) -> Self {
        Self { model, cache: empty.clone(), empty, pass }
    }
}

impl<M: Debug, C> Debug for WithCache<M, C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.model.fmt(f)
    }
}

impl<M: Debug, C: Clone> Forward for WithCache<M, C> {
    fn forward(&mut self, tokens: &Tensor, position: usize) -> Result<Tensor> {
        (self.pass)(&mut self.model, tokens, position, &mut self.cache)
    }

    fn clear(&mut self) {
        self.cache = self.empty.clone();
    }
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
