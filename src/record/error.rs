//! Why records could not be kept or read.

use std::io;
use std::path::{Path, PathBuf};

/// Trouble with a store or with published records.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not what it should be.
    #[error("{path}: {problem}; {remedy}")]
    Damaged {
        /// Which file, with the line where there are several records.
        path: String,
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A record that belongs to another plan.
    #[error(
        "{path}: this record belongs to plan `{theirs}`, the store to `{ours}`; move it to where it came from"
    )]
    Foreign {
        /// Which file.
        path: PathBuf,
        /// Plan of the record: name and hash.
        theirs: String,
        /// Plan of the store: name and hash.
        ours: String,
    },
    /// The schedule is not the one that the store was made with.
    #[error(
        "{path}: the schedule's fingerprint is {found}, and {expected} was written before the first run; restore the file, or begin anew with `--fresh`"
    )]
    ScheduleChanged {
        /// The schedule's file.
        path: PathBuf,
        /// Fingerprint as noted.
        expected: String,
        /// Fingerprint of the file as it is.
        found: String,
    },
    /// What was declared before the first run has changed since.
    #[error(
        "{path}: `{parts}` was declared before the first run and differs now; put it back, or begin anew with `--fresh`"
    )]
    Declared {
        /// The schedule's file.
        path: PathBuf,
        /// Parts of the schedule that differ.
        parts: String,
    },
    /// Nothing of that name.
    #[error("{path}: {problem}")]
    NotFound {
        /// Where it was looked for.
        path: PathBuf,
        /// What is missing, and what to do.
        problem: String,
    },
}

impl StoreError {
    /// Wraps an I/O error with its file.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
