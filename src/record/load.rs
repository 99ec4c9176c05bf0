//! Records read back, from wherever they are kept.

use super::RunRecord;
use super::compact::read_compact;
use super::error::StoreError;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};

/// Reads all records of a working store, a published report, or a single file, in the order of their ids.
pub fn load(place: &Path) -> Result<Vec<RunRecord>, StoreError> {
    let published = place.join("records.jsonl");
    let mut records = if place.join("runs").is_dir() {
        run_files(&place.join("runs"))?.iter().map(|path| load_run(path)).collect::<Result<_, _>>()?
    } else if published.is_file() {
        read_compact(&published)?
    } else if place.extension().is_some_and(|ending| ending == "jsonl") {
        read_compact(place)?
    } else if place.is_file() {
        vec![load_run(place)?]
    } else {
        return Err(StoreError::NotFound {
            path: place.to_owned(),
            problem: "no records here; name a record file, a `records.jsonl`, or a folder that holds one"
                .into(),
        });
    };
    records.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(records)
}

/// Reads one record: a record file, or `FOLDER:RUN-ID`.
pub fn load_one(name: &str) -> Result<RunRecord, StoreError> {
    let path = Path::new(name);
    let (folder, id) = match name.rsplit_once(':') {
        Some((folder, id)) if !path.exists() => (Path::new(folder), Some(id)),
        _ => (path, None),
    };
    let mut records = load(folder)?;
    let wanted = match id {
        Some(id) => records.iter().position(|record| record.id == id),
        None => (records.len() == 1).then_some(0),
    };
    wanted.map(|index| records.swap_remove(index)).ok_or_else(|| StoreError::NotFound {
        path: folder.to_owned(),
        problem: match id {
            Some(id) => format!("no run `{id}` among {} records", records.len()),
            None => format!("{} records here; name one as FOLDER:RUN-ID", records.len()),
        },
    })
}

/// Reads one record file.
pub fn load_run(path: &Path) -> Result<RunRecord, StoreError> {
    read_json(path)
}

/// Reads a JSON file.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, StoreError> {
    let bytes = fs::read(path).map_err(StoreError::io(path))?;
    serde_json::from_slice(&bytes).map_err(|error| StoreError::Damaged {
        path: path.display().to_string(),
        problem: error.to_string(),
        remedy: "remove it, and run the plan again",
    })
}

fn run_files(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = fs::read_dir(folder).map_err(StoreError::io(folder))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect())
}
