//! What is read once a session: told in every record, never compared.

use crate::condition::written_day;
use crate::fingerprint;
use crate::record::{Context, RunRecord};
use std::fs;
use std::path::Path;
use std::process::Command;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Commit of the plan's repository, build, boot and host.
pub(super) fn session_context(base: &Path, planrun: &str) -> Context {
    Context {
        git: git_commit(base),
        planrun: Some(planrun.to_owned()),
        boot: read_trimmed("/proc/sys/kernel/random/boot_id"),
        host: read_trimmed("/proc/sys/kernel/hostname").map(|name| fingerprint::of_bytes(name.as_bytes())),
        ..Context::default()
    }
}

/// The present time, RFC 3339, UTC, to the second.
pub(super) fn now() -> String {
    let now = OffsetDateTime::now_utc();
    now.replace_nanosecond(0).unwrap_or(now).format(&Rfc3339).unwrap_or_default()
}

/// The day (`2026-11-30`) that chat templates got in these runs of a plan that fixes none; today's (UTC) where none of them
/// asked for it.
pub fn first_day(records: &[RunRecord]) -> String {
    let conditions = records.iter().map(|record| &record.condition);
    let left_open = conditions.filter(|condition| condition.asked.template_date.get().is_none());
    let day = left_open.map(|condition| &condition.found).find_map(|found| found.template_date.get());
    day.cloned().unwrap_or_else(|| written_day(OffsetDateTime::now_utc().date()))
}

/// Commit of the repository that holds `folder`, with `+dirty` where tracked files were changed.
fn git_commit(folder: &Path) -> Option<String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "HEAD"])?;
    let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changes.is_empty() { commit } else { format!("{commit}+dirty") })
}

fn read_trimmed(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}
