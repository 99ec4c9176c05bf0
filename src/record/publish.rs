//! What stands beside a published report, so that every printed number can be computed again.

use super::compact::to_compact;
use super::error::StoreError;
use super::{RunRecord, Store};
use std::fs;

/// The files beside a report, by name: the plan that it was rendered with, schedule and origin as they stand in the store,
/// and the records in one compact file.
pub fn published_files(
    store: &Store,
    plan: &str,
    records: &[RunRecord],
) -> Result<Vec<(String, String)>, StoreError> {
    let mut files = vec![("plan.toml".to_owned(), plan.to_owned())];
    for name in ["schedule.json", "origin.json"] {
        let path = store.folder().join(name);
        let text = fs::read_to_string(&path).map_err(StoreError::io(&path))?;
        files.push((name.to_owned(), text));
    }
    let records = to_compact(records).map_err(|error| StoreError::Damaged {
        path: store.folder().display().to_string(),
        problem: error.to_string(),
        remedy: "please report this",
    })?;
    files.push(("records.jsonl".to_owned(), records));
    Ok(files)
}
