//! The process list.

use std::ffi::OsString;
use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

/// Start of a process in seconds since 1970; `None` where there is no such process.
pub(super) fn started_at(process: u32) -> Option<u64> {
    let id = Pid::from_u32(process);
    let mut system = System::new();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[id]), true, ProcessRefreshKind::nothing());
    system.process(id).map(Process::start_time)
}

/// Every process with its command line, threads and kernel processes left out.
pub(super) fn all() -> Vec<(u32, Vec<String>)> {
    let mut system = System::new();
    let what = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
    let text = |word: &OsString| word.to_string_lossy().into_owned();
    let processes = system.processes().values().filter(|process| process.thread_kind().is_none());
    let mut found: Vec<(u32, Vec<String>)> =
        processes.map(|process| (process.pid().as_u32(), process.cmd().iter().map(text).collect())).collect();
    found.retain(|(_, words)| !words.is_empty());
    found.sort();
    found
}
