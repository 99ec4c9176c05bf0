//! Which planrun this is, so that parent and child are certain to be the same build.

use crate::fingerprint;
use serde::{Deserialize, Serialize};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A binary: its content, and the marks by which the same file is known again without reading it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binary {
    /// Where it stands.
    pub path: PathBuf,
    /// SHA-256 of its bytes.
    pub sha256: String,
    marks: Marks,
}

/// What the file system says of a file; any write to the file changes some of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Marks {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Binary {
    /// The binary of this process.
    pub fn own() -> io::Result<Self> {
        let path = std::env::current_exe()?;
        let marks = Marks::of(&path)?;
        Ok(Self { sha256: fingerprint::of_file(&path)?, path, marks })
    }

    /// True if this process runs the same binary. The file is hashed only where its marks differ.
    pub fn is_ours(&self) -> io::Result<bool> {
        let path = std::env::current_exe()?;
        Ok(Marks::of(&path)? == self.marks || fingerprint::of_file(&path)? == self.sha256)
    }
}

impl Marks {
    fn of(path: &Path) -> io::Result<Self> {
        let file = std::fs::metadata(path)?;
        Ok(Self {
            device: file.dev(),
            inode: file.ino(),
            size: file.size(),
            modified: (file.mtime(), file.mtime_nsec()),
            changed: (file.ctime(), file.ctime_nsec()),
        })
    }
}
