//! The process between planrun and a server: it ends the server's whole process group as soon as planrun is gone, however that
//! came about.

use super::log::Log;
use super::started::Told;
use crate::engine::not_started;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long the last words of a server that ended may take to reach its log: somebody outside its group may hold the pipe.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Starts the program in `words` (its arguments follow it) in a process group of its own, and kills that group when our standard
/// input closes or the program ends. What the program writes goes to our standard error, which is its log; `tell` gets its
/// process id and how it ended.
///
/// # Errors
/// When the program cannot be started.
pub fn guard(words: &[OsString], tell: &mut dyn FnMut(&str)) -> io::Result<()> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program is named"));
    };
    let log = Log::behind(File::from(io::stderr().as_fd().try_clone_to_owned()?));
    let (mut server, said) = spawn(program, arguments)?;
    let group = Pid::from_child(&server);
    tell(&Told::Started(group.as_raw_nonzero().get()).to_string());
    let writing = std::thread::spawn(move || log.copy(said));
    std::thread::spawn(move || {
        wait_for_the_end_of_input();
        kill(group);
    });
    let status = server.wait()?;
    kill(group); // what it started itself and left behind
    wait_for(&writing);
    tell(&Told::Ended(status.into()).to_string());
    Ok(())
}

/// What it writes comes through a pipe: only who holds its log's only pen can keep that short. It also ends a server that writes
/// on when its guard is gone.
fn spawn(program: &OsString, arguments: &[OsString]) -> io::Result<(Child, PipeReader)> {
    let (said, pen) = io::pipe()?;
    let mut command = Command::new(program);
    command.args(arguments).process_group(0).stdin(Stdio::null()).stdout(pen.try_clone()?).stderr(pen);
    let started = command.spawn();
    let server = started.map_err(|error| io::Error::other(not_started(Path::new(program), &error)))?;
    Ok((server, said))
}

fn wait_for(writing: &JoinHandle<()>) {
    let began = Instant::now();
    while !writing.is_finished() && began.elapsed() < LAST_WORDS {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn wait_for_the_end_of_input() {
    let mut rest = [0u8; 64];
    while io::stdin().read(&mut rest).is_ok_and(|read| read > 0) {}
}

fn kill(group: Pid) {
    // The only possible error is that nobody of the group is left, which is what we want.
    let _ = kill_process_group(group, Signal::KILL);
}
