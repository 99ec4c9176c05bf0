//! Files that are either whole or not there: written beside their place, flushed to the disk, and renamed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Marks a file that is being written.
const MARK: &str = ".part-";

/// Writes `bytes` to `path`. Whoever reads `path`, at any moment and after any crash, sees the old file or the new one.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!("{MARK}{}", std::process::id()));
    let part = folder.join(name);
    let mut file = File::create(&part)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&part, path)?;
    File::open(folder)?.sync_all()
}

/// Removes what killed writers left behind in `folder`.
pub(crate) fn remove_parts(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().contains(MARK)) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
