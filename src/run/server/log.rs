//! What a server wrote.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Name of the log of the last server in the working store.
pub(super) const NAME: &str = "server.log";
/// Lines that a record keeps.
const LINES: usize = 12;
/// Characters of a line that it keeps.
const WIDTH: usize = 240;

/// Bytes from the end of a log that are looked at: a server may write for hours.
const TAIL: u64 = 64 << 10;

/// The last lines of a log; the first line of the file, our own, is no part of them.
pub(super) fn last_lines(path: &Path) -> String {
    let text = tail(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<String> =
        text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(shortened).collect();
    match lines.len() {
        0 => "(it wrote nothing)".to_owned(),
        count => lines[count.saturating_sub(LINES)..].join("\n"),
    }
}

/// The end of a file; its first line is our own, or was cut.
fn tail(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn shortened(line: &str) -> String {
    line.chars().take(WIDTH).collect()
}
