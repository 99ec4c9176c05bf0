//! The tensors of a GGUF file.

use super::contract::{Checkpoint, CheckpointError};
use super::part::Part;
use super::stored::Stored;
use crate::engine::gguf::Gguf;

impl Checkpoint for Gguf {
    fn find(&self, part: Part) -> Result<Option<Stored<'_>>, CheckpointError> {
        let name = self.name_of(part);
        let Some(tensor) = self.tensor(&name) else { return Ok(None) };
        let stored = |found: String| CheckpointError::Stored { name: name.clone(), found };
        let dtype = tensor.format().map_err(|_| stored(tensor.ggml_type().name().to_owned()))?;
        let (rows, columns) = match tensor.shape() {
            [columns] => (1, *columns),
            [columns, rows] => (*rows, *columns),
            other => return Err(stored(format!("{} dimensions", other.len()))),
        };
        Stored { name, rows, columns, dtype, bytes: tensor.bytes() }.checked().map(Some)
    }

    fn name_of(&self, part: Part) -> String {
        match part {
            Part::Embedding => "token_embd.weight".to_owned(),
            Part::Head => "output.weight".to_owned(),
            Part::FinalNorm => "output_norm.weight".to_owned(),
            Part::Layer(layer, part) => format!("blk.{layer}.{}", part.gguf()),
        }
    }
}
