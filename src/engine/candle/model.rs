//! What the engine asks of a model: one sequence, read from its beginning, token by token.

use super::decoder::Decoder;
use candle_core::Result;
use std::fmt::Debug;

/// A model that answers single requests: the own [`Decoder`], or one of candle-transformers.
pub(super) trait Model: Debug {
    /// Tokens that it knows; a row of logits has as many numbers.
    fn vocabulary(&self) -> usize;

    /// Most tokens of a sequence.
    fn context(&self) -> usize;

    /// Tokens of the sequence read so far.
    fn held(&self) -> usize;

    /// Begins a new sequence.
    fn clear(&mut self);

    /// Begins a new sequence with as many leading tokens of `prompt` as are held already, but for its last token, and
    /// gives their number.
    fn keep(&mut self, prompt: &[u32]) -> usize;

    /// Reads the next tokens of the sequence, `chunk` at a time if it can, and gives the logits that follow the last one.
    ///
    /// The caller sees to it that they fit into the context and that there is at least one.
    fn read(&mut self, tokens: &[u32], chunk: usize) -> Result<&mut [f32]>;

    /// The own decoder, which can do more than this; `None` of any other model.
    fn decoder(&mut self) -> Option<&mut Decoder>;
}
