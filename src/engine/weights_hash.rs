//! Hashes of weight files, remembered from run to run: hashing some gigabytes takes longer than loading them.
//!
//! A remembered hash counts only while path, size and time of change are what they were. The cache may be deleted at any
//! time, and not being able to write it is no error.

use crate::fingerprint;
use serde::{Deserialize, Serialize};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Environment variable with the folder of planrun's cache; set to nothing, nothing is remembered.
pub const CACHE_VARIABLE: &str = "PLANRUN_CACHE";

/// A file changed this shortly before it was hashed may change again within one tick of the file system's clock, unseen.
const SETTLED: Duration = Duration::from_secs(2);

/// What is remembered of one file.
#[derive(Debug, Serialize, Deserialize)]
struct Remembered {
    path: PathBuf,
    size: u64,
    modified: SystemTime,
    sha256: String,
}

/// SHA-256 of the one file, or of the sequence of the files' hashes; the error names the file.
pub(super) fn of_files(paths: &[&Path]) -> Result<String, (PathBuf, io::Error)> {
    let cache = cache_folder();
    let hash = |path: &&Path| of_file(path, cache.as_deref()).map_err(|error| (path.to_path_buf(), error));
    match paths {
        [one] => hash(one),
        many => Ok(fingerprint::of_parts(many.iter().map(hash).collect::<Result<Vec<_>, _>>()?)),
    }
}

/// SHA-256 of a file's bytes, remembered under `cache`.
fn of_file(path: &Path, cache: Option<&Path>) -> io::Result<String> {
    let path = path.canonicalize()?;
    let before = fs::metadata(&path)?;
    let place = cache.map(|folder| folder.join(fingerprint::of_bytes(path.as_os_str().as_encoded_bytes())));
    if let Some(known) = place.as_deref().and_then(|place| recall(place, &path, &before)) {
        return Ok(known);
    }
    let sha256 = fingerprint::of_file(&path)?;
    let unchanged = fs::metadata(&path).is_ok_and(|after| same(&before, &after));
    let settled = |modified: &SystemTime| modified.elapsed().is_ok_and(|age| age > SETTLED);
    let modified = before.modified().ok().filter(settled);
    if let (Some(place), Some(modified), true) = (place, modified, unchanged) {
        let entry = Remembered { path, size: before.len(), modified, sha256: sha256.clone() };
        // A cache that cannot be written costs time and nothing else.
        let _ = remember(&place, &entry);
    }
    Ok(sha256)
}

fn same(before: &Metadata, after: &Metadata) -> bool {
    before.len() == after.len() && before.modified().ok() == after.modified().ok()
}

fn recall(place: &Path, path: &Path, now: &Metadata) -> Option<String> {
    let entry: Remembered = serde_json::from_slice(&fs::read(place).ok()?).ok()?;
    let whole = entry.sha256.len() == 64 && entry.sha256.bytes().all(|digit| digit.is_ascii_hexdigit());
    let fits = entry.path == path && entry.size == now.len() && now.modified().ok()? == entry.modified;
    (whole && fits).then_some(entry.sha256)
}

/// Writes beside the place and renames, so that a reader never sees half an entry.
fn remember(place: &Path, entry: &Remembered) -> io::Result<()> {
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder)?;
    }
    let draft = place.with_extension(std::process::id().to_string());
    fs::write(&draft, serde_json::to_vec(entry)?)?;
    fs::rename(&draft, place)
}

/// `$PLANRUN_CACHE`, or planrun's folder where the system keeps caches.
fn cache_folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let root = match std::env::var_os(CACHE_VARIABLE) {
        Some(_) => folder(CACHE_VARIABLE),
        None if cfg!(target_os = "macos") => folder("HOME").map(|home| home.join("Library/Caches/planrun")),
        None => folder("XDG_CACHE_HOME")
            .or_else(|| folder("HOME").map(|home| home.join(".cache")))
            .map(|caches| caches.join("planrun")),
    };
    root.map(|root| root.join("weights"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    fn age(path: &Path, seconds: u64) {
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 + seconds);
        File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
    }

    #[test]
    fn a_hash_is_remembered_until_size_or_time_change() {
        let folder = tempfile::tempdir().unwrap();
        let (path, cache) = (folder.path().join("w"), folder.path().join("cache"));
        let hash = || of_file(&path, Some(&cache)).unwrap();
        fs::write(&path, "first").unwrap();
        age(&path, 0);
        assert_eq!(hash(), fingerprint::of_bytes(b"first"));
        fs::write(&path, "other").unwrap();
        age(&path, 0);
        assert_eq!(hash(), fingerprint::of_bytes(b"first"), "same size and time: it is not read again");
        age(&path, 1);
        assert_eq!(hash(), fingerprint::of_bytes(b"other"));
        fs::write(&path, "longer").unwrap();
        age(&path, 1);
        assert_eq!(hash(), fingerprint::of_bytes(b"longer"));
    }

    #[test]
    fn a_file_just_written_and_a_spoilt_cache_are_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let (path, cache) = (folder.path().join("w"), folder.path().join("cache"));
        fs::write(&path, "new").unwrap();
        assert_eq!(of_file(&path, Some(&cache)).unwrap(), fingerprint::of_bytes(b"new"));
        assert!(!cache.exists(), "it may change again unseen");
        age(&path, 0);
        of_file(&path, Some(&cache)).unwrap();
        let entry = fs::read_dir(&cache).unwrap().next().unwrap().unwrap().path();
        fs::write(entry, "{}").unwrap();
        assert_eq!(of_file(&path, Some(&cache)).unwrap(), fingerprint::of_bytes(b"new"));
    }
}
