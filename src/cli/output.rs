//! The only lines of code that write to standard output and standard error.

use std::fmt::Display;
use std::io::Write as _;

/// Writes text to standard output; a reader that has gone away is no error.
pub(super) fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Writes an error and a line end to standard error.
pub(super) fn complain(error: &dyn Display) {
    let _ = writeln!(std::io::stderr().lock(), "{}", plain(&error.to_string()));
}

/// Text with its control characters written out: what plans and servers say must not act on the terminal.
pub(super) fn plain(text: &str) -> String {
    let acts = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    if !text.contains(acts) {
        return text.to_owned();
    }
    text.chars()
        .map(|letter| if acts(letter) { letter.escape_default().to_string() } else { letter.into() })
        .collect()
}
