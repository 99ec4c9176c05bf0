//! What a checkpoint offers, and how it fails.

use super::part::Part;
use super::stored::Stored;

/// The tensors of one model, whatever file they lie in.
pub(in crate::engine::candle) trait Checkpoint {
    /// The tensor of a part; `None` where the checkpoint has none.
    fn find(&self, part: Part) -> Result<Option<Stored<'_>>, CheckpointError>;

    /// What this checkpoint calls a part, for messages.
    fn name_of(&self, part: Part) -> String;

    /// The tensor of a part that must be there, with `rows` rows of `columns` values (one row for a vector).
    fn tensor(&self, part: Part, rows: usize, columns: usize) -> Result<Stored<'_>, CheckpointError> {
        let stored = self.find(part)?.ok_or_else(|| CheckpointError::Missing(self.name_of(part)))?;
        if (stored.rows, stored.columns) == (rows, columns) {
            return Ok(stored);
        }
        Err(CheckpointError::Shape {
            name: stored.name,
            found: (stored.rows, stored.columns),
            expected: (rows, columns),
        })
    }

    /// A vector of `width` numbers that must be there.
    fn vector(&self, part: Part, width: usize) -> Result<Vec<f32>, CheckpointError> {
        self.tensor(part, 1, width)?.values()
    }
}

/// Why a checkpoint cannot be used; the caller knows the file.
#[derive(Debug, thiserror::Error)]
pub(in crate::engine::candle) enum CheckpointError {
    /// One of the files cannot be used.
    #[error("`{file}`: {problem}")]
    File { file: String, problem: String },
    /// A tensor is missing.
    #[error("tensor `{0}` is missing")]
    Missing(String),
    /// A tensor has another shape than the model's sizes say.
    #[error("tensor `{name}` is {} x {}, and the model's sizes make it {} x {} (rows x columns)", found.0, found.1, expected.0, expected.1)]
    Shape { name: String, found: (usize, usize), expected: (usize, usize) },
    /// A tensor has a number format that is not read.
    #[error("tensor `{name}` is stored as {found}, which is not read")]
    Stored { name: String, found: String },
    /// A tensor's bytes are not as many as its shape and format need.
    #[error("tensor `{name}` has {found} bytes, and its shape needs {expected}")]
    Size { name: String, found: usize, expected: usize },
    /// The scheme's blocks do not divide a row.
    #[error(
        "`{scheme}` has blocks of {block} weights, and a row of `{name}` has {columns}; f32, f16 and bf16 fit any row, \
         q8_0 and q4_0 to q5_1 need a multiple of 32"
    )]
    Blocks { scheme: &'static str, block: usize, name: String, columns: usize },
    /// candle refused.
    #[error("{0}")]
    Candle(#[from] candle_core::Error),
}
