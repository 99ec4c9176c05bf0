//! Files as memory: weights are used where they lie, and nothing of them is read before it is looked at.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::path::Path;

/// Maps a regular file; other kinds (folders, pipes) are refused before they are opened.
#[allow(unsafe_code, reason = "mapping a file is the one way to use weights without copying them")]
pub(super) fn map(path: &Path) -> io::Result<Mmap> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    // SAFETY: the map is only ever read. A model file that somebody else shortens or rewrites while it is open would
    // break this; that nobody does is the assumption of every program that maps weights.
    unsafe { Mmap::map(&File::open(path)?) }
}
