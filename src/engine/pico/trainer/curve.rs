//! The learning curve, appended to a CSV file.

use std::fs::OpenOptions;
use std::io::{Result, Write};
use std::path::Path;

/// One row of the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CurvePoint {
    /// Optimizer steps so far.
    pub(super) step: usize,
    /// Tokens so far.
    pub(super) tokens: u64,
    /// Mean training loss since the last row, nats a token.
    pub(super) loss: f64,
    /// Share of the held-out sample answered rightly without thinking.
    pub(super) direct: f64,
    /// The same with thinking.
    pub(super) thinking: f64,
}

/// Appends a row, and the heading if the file is new.
pub(super) fn append(path: &Path, point: &CurvePoint) -> Result<()> {
    let is_new = !path.exists();
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    if is_new {
        writeln!(file, "step,tokens,loss,direct,thinking")?;
    }
    let CurvePoint { step, tokens, loss, direct, thinking } = point;
    writeln!(file, "{step},{tokens},{loss:.4},{direct:.3},{thinking:.3}")
}
