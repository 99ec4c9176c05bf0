//! A model of candle-transformers behind the seam that the own decoder stands behind.

use super::family::Forward;
use super::panics::caught;
use crate::engine::candle::decoder::Decoder;
use crate::engine::candle::model::Model;
use candle_core::{Device, Error, Result, Tensor};

/// A model with its one sequence.
#[derive(Debug)]
pub(super) struct UpstreamModel {
    pub(super) family: &'static str,
    pub(super) inner: Box<dyn Forward>,
    pub(super) vocabulary: usize,
    pub(super) context: usize,
    held: usize,
    logits: Vec<f32>,
}

impl UpstreamModel {
    /// A model that has read nothing.
    pub(super) fn new(
        family: &'static str,
        inner: Box<dyn Forward>,
        vocabulary: usize,
        context: usize,
    ) -> Self {
        Self { family, inner, vocabulary, context, held: 0, logits: Vec::new() }
    }

    fn forward(&mut self, tokens: &[u32]) -> Result<()> {
        let input = Tensor::new(tokens, &Device::Cpu)?.unsqueeze(0)?;
        self.logits = self.inner.forward(&input, self.held)?.flatten_all()?.to_vec1()?;
        self.held += tokens.len();
        if self.logits.len() == self.vocabulary {
            return Ok(());
        }
        Err(Error::Msg(format!("{} logits for a vocabulary of {}", self.logits.len(), self.vocabulary)))
    }
}

impl Model for UpstreamModel {
    fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    fn context(&self) -> usize {
        self.context
    }

    fn held(&self) -> usize {
        self.held
    }

    fn clear(&mut self) {
        self.inner.clear();
        self.held = 0;
    }

    fn keep(&mut self, _: &[u32]) -> usize {
        self.clear();
        0
    }

    /// A prompt goes in one pass. On top of what is held tokens go one by one: some of these models forget their state when
    /// several come at once.
    fn read(&mut self, tokens: &[u32], _: usize) -> Result<&mut [f32]> {
        let pass = if self.held == 0 { tokens.len() } else { 1 };
        for tokens in tokens.chunks(pass.max(1)) {
            if let Err(error) = caught(self.family, || self.forward(tokens)) {
                self.clear();
                return Err(error);
            }
        }
        Ok(&mut self.logits)
    }

    fn decoder(&mut self) -> Option<&mut Decoder> {
        None
    }
}
