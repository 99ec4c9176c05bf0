//! Resident memory of a process, this one or the engine's: its high-water mark, and how to reset it. Linux only; elsewhere nothing is measured.

use std::path::{Path, PathBuf};

/// The memory counters of one process.
#[derive(Debug, Clone)]
pub struct Memory {
    process: PathBuf,
}

impl Default for Memory {
    fn default() -> Self {
        Self::at(Path::new("/proc/self"))
    }
}

impl Memory {
    /// Counters of another process of the same user.
    pub fn of(process: u32) -> Self {
        Self::at(&Path::new("/proc").join(process.to_string()))
    }

    /// Counters under another folder than `/proc/self`.
    pub fn at(process: &Path) -> Self {
        Self { process: process.to_owned() }
    }

    /// Largest resident set since the start or the last [`Memory::reset_peak`], in MiB (`VmHWM` of `status`, see proc(5)).
    pub fn peak_mib(&self) -> Option<f64> {
        let status = std::fs::read_to_string(self.process.join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib / 1024.0)
    }

    /// Sets the high-water mark back to the present size; false where the system does not allow it.
    pub fn reset_peak(&self) -> bool {
        let file = self.process.join("clear_refs");
        file.exists() && std::fs::write(file, "5").is_ok()
    }
}
