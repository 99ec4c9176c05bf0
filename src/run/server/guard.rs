//! The process between planrun and a server: it ends the server's whole process group as soon as planrun is gone, however that
//! came about.

use super::log::Log;
use super::started::Told;
use crate::engine::not_started;
use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long the last words of a server that ended may take to reach its log: somebody outside its group may hold the pipe. Only
/// then its end is told, so who waits for that waits longer.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(500);

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
    let group = Arc::new(Group::new(group));
    let killer = Arc::clone(&group);
    std::thread::spawn(move || {
        wait_for_the_end_of_input();
        killer.kill();
    });
    wait_unreaped(&server)?;
    group.kill_for_good(); // what it started itself and left behind
    let status = server.wait()?;
    wait_for(&writing);
    tell(&Told::Ended(status.into()).to_string());
    Ok(())
}

/// What it writes comes through a pipe: only who holds its log's only pen can keep that short. It also ends most servers that write
/// on when their guard is gone; Python ignores `SIGPIPE`, and its servers are found in the register at the next start.
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

/// Waits until the server has ended. Its number stays its own: nobody else gets it before it is waited for once more.
fn wait_unreaped(server: &Child) -> io::Result<()> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    retry_on_intr(|| waitid(WaitId::Pid(Pid::from_child(server)), options))?;
    Ok(())
}

/// The server's process group, which is killed only while its number cannot be another's.
#[derive(Debug)]
struct Group {
    /// `None` once the server's end is about to be taken note of.
    id: Mutex<Option<Pid>>,
}

impl Group {
    fn new(id: Pid) -> Self {
        Self { id: Mutex::new(Some(id)) }
    }

    fn kill(&self) {
        kill(*self.lock());
    }

    /// Nobody kills it after this.
    fn kill_for_good(&self) {
        kill(self.lock().take());
    }

    fn lock(&self) -> MutexGuard<'_, Option<Pid>> {
        self.id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn kill(group: Option<Pid>) {
    // The only possible error is that nobody of the group is left, which is what we want.
    let _ = group.map(|group| kill_process_group(group, Signal::KILL));
}
