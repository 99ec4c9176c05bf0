//! `planrun exec`: one run in a process of its own, asked for on standard input. Not for people.

use super::output::{complain, print};
use crate::engine::http::under_way;
use crate::exit::Exit;
use crate::process::end_own_group;
use crate::record::save_record;
use crate::run::{self, RunRequest, Step, WAITS};
use std::fmt::Display;
use std::io::{BufRead, Read};
use std::mem::discriminant;
use std::time::{Duration, Instant};

/// Least time between two lines about items: enough for a bar, too little to disturb what is measured.
const BETWEEN_LINES: Duration = Duration::from_millis(250);

/// Makes the run that stands on the first line of standard input. [`Exit::Done`]: there is a record, of a success or of a
/// failure. [`Exit::Usage`]: this is not the parent's binary. [`Exit::Internal`]: the record could not be kept.
pub(super) fn exec() -> Exit {
    let request = match read_request() {
        Ok(request) => request,
        Err(problem) => return refuse(Exit::Internal, &problem),
    };
    match request.binary.is_ours() {
        Ok(true) => {}
        Ok(false) => return refuse(Exit::Usage, &"this is not the binary that asked for the run"),
        Err(error) => return refuse(Exit::Internal, &format!("cannot read my own binary: {error}")),
    }
    std::thread::spawn(end_with_parent);
    let mut last = None;
    let record = run::make(&request, &mut |step| tell(step, &mut last));
    match save_record(&request.output, &record) {
        Ok(()) => Exit::Done,
        Err(error) => refuse(Exit::Internal, &error),
    }
}

fn read_request() -> Result<RunRequest, String> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(|error| format!("standard input: {error}"))?;
    serde_json::from_str(&line).map_err(|error| {
        format!("standard input: {error}; `planrun exec` is called by `planrun run`, not by hand")
    })
}

/// Standard input closes when the parent ends, however it ends, for an orphan must not go on measuring; and when a run takes too
/// long: then the parent still hears what was waited for.
fn end_with_parent() -> ! {
    let mut rest = [0u8; 64];
    while std::io::stdin().read(&mut rest).is_ok_and(|read| read > 0) {}
    for request in under_way() {
        complain(&format!("{WAITS}{request}"));
    }
    end_own_group(i32::from(Exit::Internal as u8))
}

/// A step of a new kind is always told: should the run hang, it says where.
fn tell(step: Step, last: &mut Option<(Step, Instant)>) {
    let is_same_kind = |earlier: &Step| discriminant(earlier) == discriminant(&step);
    if last.is_some_and(|(earlier, at)| is_same_kind(&earlier) && at.elapsed() < BETWEEN_LINES) {
        return;
    }
    *last = Some((step, Instant::now()));
    if let Ok(line) = serde_json::to_string(&step) {
        // A parent that is gone is noticed by `end_with_parent`.
        print(&format!("{line}\n"));
    }
}

fn refuse(exit: Exit, problem: &dyn Display) -> Exit {
    complain(problem);
    exit
}
