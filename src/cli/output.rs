//! The only lines of code that write to standard output and standard error.

use std::fmt::Display;
use std::io::Write as _;

/// Writes text to standard output; a reader that has gone away is no error.
pub(super) fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Writes an error and a line end to standard error.
pub(super) fn complain(error: &dyn Display) {
    let _ = writeln!(std::io::stderr().lock(), "{error}");
}
