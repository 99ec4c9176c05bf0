//! Servers of an earlier session that still run: planrun and the guard were both killed. A register beside the device lock
//! knows them, and whoever holds the lock ends them.

use super::processes::started_at;
use crate::run::lock::beside_the_lock;
use rustix::process::{Pid, Signal, getpgid, kill_process_group};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Seconds by which two readings of one process's start may differ: the system's own clock is corrected now and then.
const SLACK: u64 = 2;

/// How long a server that was killed may take to be gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server as it was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    process: u32,
    /// Seconds since 1970: another process with the same number has another start.
    started: u64,
    command: String,
}

/// The list of servers that run now. Only the holder of the device lock writes to it.
#[derive(Debug)]
pub(super) struct Register {
    path: PathBuf,
}

impl Register {
    /// The user's own.
    pub(super) fn own() -> Self {
        Self { path: beside_the_lock("servers.json") }
    }

    pub(super) fn add(&self, process: u32, started: Option<u64>, command: &str) {
        let Some(started) = started else { return };
        let mut entries = self.entries();
        entries.push(Entry { process, started, command: command.to_owned() });
        self.write(&entries);
    }

    pub(super) fn remove(&self, process: u32) {
        let mut entries = self.entries();
        entries.retain(|entry| entry.process != process);
        self.write(&entries);
    }

    /// A list that is damaged, or that somebody else wrote, is an empty one: what stands in it is killed.
    fn entries(&self) -> Vec<Entry> {
        let ours = |data: fs::Metadata| data.is_file() && data.uid() == rustix::process::getuid().as_raw();
        if !fs::symlink_metadata(&self.path).is_ok_and(ours) {
            return Vec::new();
        }
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// As a whole or not at all, and for nobody else to read.
    fn replace(&self, text: &str) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(&self.path)?;
        Ok(())
    }

    /// What cannot be written is only missed after two kills; the run goes on.
    fn write(&self, entries: &[Entry]) {
        if entries.is_empty() {
            let _ = fs::remove_file(&self.path);
        } else if let Ok(text) = serde_json::to_string(entries) {
            let _ = self.replace(&text);
        }
    }
}

/// Ends every server that an earlier session left behind, and tells of each.
pub(in crate::run) fn end_leftovers(tell: &mut dyn FnMut(&str)) {
    let register = Register::own();
    for entry in register.entries() {
        if entry.end() {
            tell(&format!(
                "a server of an earlier session still ran (pid {}), and was ended: {}",
                entry.process, entry.command
            ));
        }
        register.remove(entry.process);
    }
}

impl Entry {
    /// True if it still ran.
    fn end(&self) -> bool {
        let Some(group) = Pid::from_raw(self.process.cast_signed()).filter(|_| self.runs()) else {
            return false;
        };
        let ended = getpgid(Some(group)).is_ok_and(|found| found == group)
            && kill_process_group(group, Signal::KILL).is_ok();
        // Giving back the memory of a large model takes a moment, in which it would be taken for somebody else's server.
        let start = Instant::now();
        while ended && self.runs() && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
        }
        ended
    }

    fn runs(&self) -> bool {
        started_at(self.process).is_some_and(|at| at.abs_diff(self.started) <= SLACK)
    }
}
