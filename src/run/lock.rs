//! The device lock: two planruns never measure at the same time on one machine.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Held while runs are made. The kernel lets go of it when this process ends, however it ends; it is not inherited by
/// children, because Rust opens every file close-on-exec.
#[derive(Debug)]
pub struct DeviceLock {
    _file: File,
}

/// Why the device could not be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else measures.
    #[error(
        "another planrun (pid {pid}, {doing}) is measuring on this machine; wait until it is done, or end it with `kill -INT {pid}`"
    )]
    Held {
        /// The holder.
        pid: String,
        /// What it is doing.
        doing: String,
    },
    /// The lock file cannot be used.
    #[error("{path}: {source}; set XDG_RUNTIME_DIR to a folder that can be written")]
    Io {
        /// The lock file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl DeviceLock {
    /// Takes the lock, or says who holds it. `doing` tells others what for.
    pub fn take(doing: &str) -> Result<Self, LockError> {
        let path = lock_path();
        let wrap = |source| LockError::Io { path: path.clone(), source };
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(wrap)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(held_by(&mut file)),
            Err(TryLockError::Error(source)) => return Err(wrap(source)),
        }
        file.set_len(0).map_err(wrap)?;
        writeln!(file, "{}\n{doing}", std::process::id()).map_err(wrap)?;
        Ok(Self { _file: file })
    }
}

fn lock_path() -> PathBuf {
    beside_the_lock("device.lock")
}

/// One file of this name a user: in the run-time folder, which is emptied at boot, else among the temporary files.
pub(super) fn beside_the_lock(name: &str) -> PathBuf {
    let user = rustix::process::getuid().as_raw();
    match std::env::var_os("XDG_RUNTIME_DIR") {
        Some(folder) if Path::new(&folder).is_dir() => Path::new(&folder).join(format!("planrun-{name}")),
        _ => std::env::temp_dir().join(format!("planrun-{user}-{name}")),
    }
}

fn held_by(file: &mut File) -> LockError {
    let mut text = String::new();
    let _ = file.rewind().and_then(|()| file.read_to_string(&mut text));
    let mut lines = text.lines().map(str::to_owned);
    LockError::Held {
        pid: lines.next().unwrap_or_else(|| "unknown".into()),
        doing: lines.next().unwrap_or_else(|| "just starting".into()),
    }
}
