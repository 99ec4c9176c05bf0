//! Recorded noise: the speed of one configuration, run after run.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A recorded series of one identical configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The name printed in the table.
    pub name: String,
    /// Natural logarithms of the recorded values, in the order of time.
    pub logs: Vec<f64>,
}

/// Why a trace could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// The header does not name the column.
    #[error("the trace has no column `{0}`: its first line must name the columns, separated by commas")]
    NoColumn(String),
    /// A value is not a positive number.
    #[error("line {line} of the trace: `{text}` is not a positive number")]
    NotPositive {
        /// Line number, from 1.
        line: usize,
        /// The offending text.
        text: String,
    },
    /// There are too few values for windows.
    #[error("the trace has {0} values; at least 2 are needed")]
    TooShort(usize),
}

impl Trace {
    /// Reads one column of a comma-separated table whose first line names the columns. Values are positive
    /// (speeds or times); lines that start with `#` are skipped.
    /// # Errors
    /// See [`TraceError`].
    pub fn from_csv(name: &str, text: &str, column: &str) -> Result<Self, TraceError> {
        let mut lines =
            text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.is_empty());
        let header = lines.next().map_or("", |(_, line)| line);
        let place = header.split(',').position(|name| name.trim() == column);
        let place = place.ok_or_else(|| TraceError::NoColumn(column.to_owned()))?;
        let logs: Vec<f64> =
            lines.map(|(index, line)| log_at(index, line, place)).collect::<Result<_, _>>()?;
        if logs.len() < 2 {
            return Err(TraceError::TooShort(logs.len()));
        }
        Ok(Self { name: name.to_owned(), logs })
    }

    /// Appends a window of `runs` values from a random start. A window longer than the trace starts anywhere
    /// and goes to and fro between its ends.
    pub(super) fn window(&self, runs: usize, random: &mut ChaCha8Rng, values: &mut Vec<f64>) {
        let length = self.logs.len();
        let starts = if runs <= length { length - runs + 1 } else { 2 * length };
        let start = random.random_range(0..starts);
        values.extend((start..start + runs).map(|index| self.logs[reflected(index, length)]));
    }
}

fn log_at(index: usize, line: &str, place: usize) -> Result<f64, TraceError> {
    let text = line.split(',').nth(place).unwrap_or("").trim();
    let value: Option<f64> = text.parse().ok().filter(|&value: &f64| value > 0.0 && value.is_finite());
    value.map(f64::ln).ok_or_else(|| TraceError::NotPositive { line: index + 1, text: text.to_owned() })
}

/// 0, 1, ... n-1, n-1, ... 1, 0, 0, 1, ...
fn reflected(index: usize, length: usize) -> usize {
    let place = index % (2 * length);
    if place < length { place } else { 2 * length - 1 - place }
}
