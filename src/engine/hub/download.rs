//! One file, from the hub into the cache.

use super::client::{Client, cause};
use super::error::Trouble;
use super::fetch::Transfer;
use super::listing::Listed;
use super::wanted::Snapshot;
use crate::engine::weights_hash;
use hf_hub::api::Progress;
use std::fs;
use std::path::Path;

/// Downloads a file, goes on with what an earlier download left, and compares what came with what was announced.
pub(super) fn download(
    client: &Client,
    snapshot: &Snapshot<'_>,
    file: &Listed,
    tell: &mut dyn FnMut(Transfer<'_>),
) -> Result<(), Trouble> {
    clear_leftovers(snapshot, file);
    tell(Transfer::File { name: &file.name, bytes: file.size.unwrap_or_default() });
    let repository = client.repository(snapshot.name, &snapshot.commit);
    let path =
        repository.download_with_progress(&file.name, Watch { tell }).map_err(|error| {
            match cause(error) {
                Ok(refusal) => client.refused(snapshot.name, &refusal, &file.name),
                Err(problem) => Trouble::BrokenOff { file: file.name.clone(), problem },
            }
        })?;
    verify(&path, file)
}

/// Hands on how far a download has come.
struct Watch<'a> {
    tell: &'a mut dyn FnMut(Transfer<'_>),
}

impl Progress for Watch<'_> {
    fn init(&mut self, _size: usize, _filename: &str) {}

    fn update(&mut self, size: usize) {
        (self.tell)(Transfer::Bytes(size as u64));
    }

    fn finish(&mut self) {}
}

/// The library cannot go on from a part that is complete already, nor replace a link that leads nowhere.
fn clear_leftovers(snapshot: &Snapshot<'_>, file: &Listed) {
    let link = snapshot.folder().join(&file.name);
    if link.is_symlink() && !link.exists() {
        // What cannot be removed shows as an error of the download.
        let _ = fs::remove_file(link);
    }
    let Some(name) = file.blob() else { return };
    let part = snapshot.cache.repository(snapshot.name).join("blobs").join(name).with_extension("part");
    if fs::metadata(&part).is_ok_and(|found| file.size.is_none_or(|size| found.len() >= size)) {
        // As above.
        let _ = fs::remove_file(part);
    }
}

/// A file that is not what the hub announced is removed.
fn verify(path: &Path, file: &Listed) -> Result<(), Trouble> {
    let Err(problem) = compare(path, file) else { return Ok(()) };
    for place in [fs::canonicalize(path).ok().as_deref(), Some(path)].into_iter().flatten() {
        // What cannot be removed is found again by its size or hash.
        let _ = fs::remove_file(place);
    }
    Err(Trouble::Spoilt { file: file.name.clone(), problem })
}

fn compare(path: &Path, file: &Listed) -> Result<(), String> {
    let found = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if let Some(size) = file.size.filter(|size| *size != found) {
        return Err(format!("{found} bytes of {size}"));
    }
    let Some(announced) = file.sha256() else { return Ok(()) };
    let hash = weights_hash::of_files(&[path]).map_err(|(_, error)| error.to_string())?;
    if hash == announced { Ok(()) } else { Err(format!("SHA-256 {hash} instead of {announced}")) }
}
