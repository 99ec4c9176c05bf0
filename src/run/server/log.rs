//! What a server wrote: kept within bounds, and its end quoted in records.

use crate::process;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Name of a log in the working store: `server.log`, `server-2.log`, ... for servers that run at once.
pub(super) fn name(number: u32) -> String {
    if number == 1 { "server.log".to_owned() } else { format!("server-{number}.log") }
}

/// Lines that a record keeps.
const LINES: usize = 12;
/// Bytes from the end of a log that are looked at: a server may write for hours.
const TAIL: u64 = 64 << 10;

/// Bytes that a log may have; beyond them its middle is left out.
const MOST: u64 = 8 << 20;
/// Bytes from its beginning that are kept then, and from its end.
const HEAD: u64 = 2 << 20;
const END: u64 = 2 << 20;

/// Begins the log of a server.
pub(super) fn create(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(true).open(path)
}

/// A log that is being written. Servers may write for days; the disk is not theirs.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    /// Bytes that were left out so far.
    left_out: u64,
    /// Bytes of the line that says so.
    mark: u64,
}

impl Log {
    /// Goes on behind what stands in the file.
    pub(super) fn behind(file: File) -> Self {
        Self { file, left_out: 0, mark: 0 }
    }

    /// Writes down what comes until the stream ends.
    pub(super) fn copy(mut self, mut stream: impl Read) {
        let mut piece = vec![0; 64 << 10];
        loop {
            match stream.read(&mut piece) {
                Ok(0) => return,
                Ok(count) => {
                    // A disk that is full must not hold up the server.
                    let _ = self.write(&piece[..count]);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        let length = self.file.stream_position()?;
        if length > MOST { self.fold(length) } else { Ok(()) }
    }

    /// Leaves out what stands between the beginning and the end.
    fn fold(&mut self, length: u64) -> io::Result<()> {
        let mut end = vec![0; END as usize];
        self.file.seek(SeekFrom::Start(length - END))?;
        self.file.read_exact(&mut end)?;
        self.left_out += length - HEAD - self.mark - END;
        let mark = format!("\n... {} bytes are left out here ...\n", self.left_out);
        self.mark = mark.len() as u64;
        self.file.set_len(HEAD)?;
        self.file.seek(SeekFrom::Start(HEAD))?;
        self.file.write_all(mark.as_bytes())?;
        self.file.write_all(&end)
    }
}

/// The last lines of a log; the first line of the file, our own, is no part of them.
pub(super) fn last_lines(path: &Path) -> String {
    let text = tail(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let own = text.split_once('\n').map_or("", |(_, own)| own);
    match process::last_lines(own, LINES) {
        lines if lines.is_empty() => "(it wrote nothing)".to_owned(),
        lines => lines.join("\n"),
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

#[cfg(test)]
mod tests {
    use super::{END, HEAD, Log, MOST, create, last_lines};
    use std::fmt::Write as _;

    #[test]
    fn an_endless_log_keeps_its_beginning_and_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server.log");
        let mut said = String::new();
        for line in 0..3_000_000 {
            let _ = writeln!(said, "line {line:07}");
        }
        Log::behind(create(&path).unwrap()).copy(said.as_bytes());
        let kept = std::fs::read_to_string(&path).unwrap();
        assert!((kept.len() as u64) <= MOST, "{}", kept.len());
        assert_eq!(kept[..HEAD as usize], said[..HEAD as usize]);
        let end = kept.len() - END as usize;
        assert!(said.ends_with(&kept[end..]));
        let mark = kept.lines().find(|line| line.starts_with("... ")).unwrap();
        let left_out: usize = mark.split(' ').nth(1).unwrap().parse().unwrap();
        assert_eq!(kept.len() - mark.len() - 2 + left_out, said.len());
        assert!(last_lines(&path).ends_with("line 2999998\nline 2999999"));
    }
}
