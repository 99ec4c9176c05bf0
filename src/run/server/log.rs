//! What a server wrote.

use std::fs;
use std::path::Path;

/// Name of the log of the last server in the working store.
pub(super) const NAME: &str = "server.log";
/// Lines that a record keeps.
const LINES: usize = 12;
/// Characters of a line that it keeps.
const WIDTH: usize = 240;

/// The last lines of a log; the first line of the file, our own, is no part of them.
pub(super) fn last_lines(path: &Path) -> String {
    let text = fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<String> =
        text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(shortened).collect();
    match lines.len() {
        0 => "(it wrote nothing)".to_owned(),
        count => lines[count.saturating_sub(LINES)..].join("\n"),
    }
}

fn shortened(line: &str) -> String {
    line.chars().take(WIDTH).collect()
}
