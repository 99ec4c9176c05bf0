//! The process between planrun and a server: it ends the server's whole process group as soon as planrun is gone, however that
//! came about.

use super::started::Told;
use crate::engine::not_started;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

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
    let log = io::stderr().as_fd().try_clone_to_owned()?;
    let mut command = Command::new(program);
    let started = command.args(arguments).process_group(0).stdin(Stdio::null()).stdout(log).spawn();
    let mut server = started.map_err(|error| io::Error::other(not_started(Path::new(program), &error)))?;
    let group = Pid::from_child(&server);
    tell(&Told::Started(group.as_raw_nonzero().get()).to_string());
    std::thread::spawn(move || {
        wait_for_the_end_of_input();
        kill(group);
    });
    let status = server.wait()?;
    kill(group); // what it started itself and left behind
    tell(&Told::Ended(how(status)).to_string());
    Ok(())
}

fn wait_for_the_end_of_input() {
    let mut rest = [0u8; 64];
    while io::stdin().read(&mut rest).is_ok_and(|read| read > 0) {}
}

fn kill(group: Pid) {
    // The only possible error is that nobody of the group is left, which is what we want.
    let _ = kill_process_group(group, Signal::KILL);
}

fn how(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("died of signal {signal}"),
        (None, code) => format!("ended with code {}", code.unwrap_or(-1)),
    }
}
