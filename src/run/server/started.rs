//! One server that runs.

use super::asking::Asking;
use super::ending::Gone;
use super::leftovers::Register;
use super::log;
use super::processes::started_at;
use crate::engine::{Endpoint, Launch, without_the_shells_settings};
use crate::process::Death;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

/// Rest between two questions whether the server is ready: the error of `load_s`.
const ASK_AGAIN: Duration = Duration::from_millis(5);
/// How often a waiting parent looks whether it was asked to stop, and whether the server lives.
const GLANCE: Duration = Duration::from_millis(20);
/// Longest wait for a guard to end; it has only to kill.
const GUARD_ENDS: Duration = Duration::from_secs(5);

/// What a guard tells on its standard output, one line each.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// The server's process, which is also its group's.
    Started(i32),
    /// How the server ended.
    Ended(Death),
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started(process) => write!(f, "started {process}"),
            Self::Ended(Death::Signal(signal)) => write!(f, "signal {signal}"),
            Self::Ended(Death::Code(code)) => write!(f, "code {code}"),
        }
    }
}

impl Told {
    fn parse(line: &str) -> Option<Self> {
        let (what, number) = line.split_once(' ')?;
        let number = number.parse().ok()?;
        match what {
            "started" => Some(Self::Started(number)),
            "signal" => Some(Self::Ended(Death::Signal(number))),
            "code" => Some(Self::Ended(Death::Code(number))),
            _ => None,
        }
    }
}

/// A server in a process group of its own, and the guard before it. Dropping it ends both.
#[derive(Debug)]
pub(super) struct Server {
    guard: Child,
    /// The guard ends the server when this closes.
    input: Option<ChildStdin>,
    told: Receiver<Told>,
    group: Pid,
    ended: Option<Gone>,
    /// The guard has seen the server's own end.
    reaped: bool,
    /// No other server that runs writes there.
    pub(super) log: PathBuf,
    /// What its program is called.
    name: String,
    pub(super) endpoint: Endpoint,
}

/// How waiting for a server ended.
pub(super) enum Waited {
    /// It answers.
    Ready,
    /// We were asked to stop.
    Stopped,
    /// It died, or was not ready in time; what went wrong, without its log.
    Failed(String),
}

impl Server {
    /// Starts a server; `planrun` is our own binary, `identity` the hash of the server's. It may not be ready yet.
    pub(super) fn start(launch: &Launch, port: u16, start: &Start<'_>) -> io::Result<Self> {
        let began = Instant::now();
        let mut log = log::create(start.log)?;
        writeln!(log, "$ {}", launch.shown())?;
        let mut guard = command(launch, start.planrun).stderr(log).spawn()?;
        let (input, told) = (guard.stdin.take(), listen(&mut guard));
        let Ok(Told::Started(process)) = told.recv_timeout(GUARD_ENDS) else {
            return Err(io::Error::other(log::last_lines(start.log)));
        };
        let group = Pid::from_raw(process).ok_or_else(|| io::Error::other("the guard tells no process"))?;
        Register::own().add(process as u32, started_at(process as u32), &launch.shown());
        let endpoint = Endpoint {
            url: format!("http://127.0.0.1:{port}"),
            process: process as u32,
            binary: start.identity.clone(),
            load_s: Some(began.elapsed().as_secs_f64()),
        };
        Ok(Self {
            guard,
            input,
            told,
            group,
            ended: None,
            reaped: false,
            log: start.log.to_owned(),
            name: launch.program.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            endpoint,
        })
    }

    /// Waits until the server answers at `path` with a status below 300.
    pub(super) fn wait(&mut self, path: &'static str, limit: Duration, stop: &AtomicBool) -> Waited {
        let (began, before) = (Instant::now(), self.endpoint.load_s.unwrap_or_default());
        let asking = Asking::of(&self.endpoint.url, path, ASK_AGAIN, |_| true);
        loop {
            // One that ended cannot be who answered: another took the port.
            if asking.answered_within(GLANCE) && self.ended().is_none() {
                self.endpoint.load_s = Some(before + began.elapsed().as_secs_f64());
                return Waited::Ready;
            }
            if stop.load(Ordering::Relaxed) {
                return Waited::Stopped;
            }
            if let Some(how) = self.ended() {
                return Waited::Failed(self.end_in_words(how, "before it was ready"));
            }
            if began.elapsed() >= limit {
                return Waited::Failed(format!(
                    "{} did not become ready within {} s, the plan's `timeout_s`: {}",
                    self.name,
                    limit.as_secs_f64(),
                    asking.shown()
                ));
            }
        }
    }

    /// What happened to it, and what to do about that.
    pub(super) fn end_in_words(&self, how: Gone, when: &str) -> String {
        let what = format!("{} {how} {when}", self.name);
        how.remedy().map_or_else(|| what.clone(), |remedy| format!("{what}; {remedy}"))
    }

    /// How the server ended; `None` while it runs.
    pub(super) fn ended(&mut self) -> Option<Gone> {
        if self.ended.is_none() {
            self.ended = match self.told.try_recv() {
                Ok(Told::Ended(how)) => {
                    self.reaped = true;
                    Some(Gone::Died(how))
                }
                Ok(Told::Started(_)) | Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => Some(Gone::Unguarded),
            };
        }
        self.ended
    }

    /// True if the guard has told the server's end, now or before.
    fn is_reaped(&mut self) -> bool {
        while let Ok(told) = self.told.recv_timeout(GLANCE) {
            self.reaped |= matches!(told, Told::Ended(_));
        }
        self.reaped
    }

    /// The same after a moment: that a server died shows in the answers before its guard tells.
    pub(super) fn ended_within(&mut self, moment: Duration) -> Option<Gone> {
        let began = Instant::now();
        while self.ended().is_none() && began.elapsed() < moment {
            std::thread::sleep(GLANCE);
        }
        self.ended()
    }

    /// The end of its log, in words for a record.
    pub(super) fn last_words(&self) -> String {
        let name = self.log.file_name().unwrap_or_default().to_string_lossy();
        format!("the end of its log, {name}:\n{}", log::last_lines(&self.log))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.input = None;
        let began = Instant::now();
        while matches!(self.guard.try_wait(), Ok(None)) && began.elapsed() < GUARD_ENDS {
            std::thread::sleep(Duration::from_millis(1));
        }
        // A guard that was killed, or stopped, has ended nobody; one that saw the end has, and the number may be another's by
        // now. Errors mean that they are gone already.
        if !self.is_reaped() {
            let _ = kill_process_group(self.group, Signal::KILL);
        }
        let _ = self.guard.kill();
        let _ = self.guard.wait();
        Register::own().remove(self.endpoint.process);
    }
}

/// What starting a server takes besides its command line.
pub(super) struct Start<'a> {
    /// Our own binary, which is also the guard's.
    pub(super) planrun: &'a Path,
    /// SHA-256 of the server's program, where it is known.
    pub(super) identity: Option<String>,
    /// Where its log goes.
    pub(super) log: &'a Path,
}

fn command(launch: &Launch, planrun: &Path) -> Command {
    let mut command = Command::new(planrun);
    command.arg("guard").arg("--").arg(&launch.program).args(&launch.arguments);
    without_the_shells_settings(&mut command);
    command.envs(launch.environment.iter().map(|(name, value)| (name, value)));
    command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

fn listen(guard: &mut Child) -> Receiver<Told> {
    let (send, told) = channel();
    let output = guard.stdout.take();
    std::thread::spawn(move || {
        for line in output.into_iter().flat_map(|out| BufReader::new(out).lines()).map_while(Result::ok) {
            if Told::parse(&line).is_some_and(|told| send.send(told).is_err()) {
                break;
            }
        }
    });
    told
}

#[cfg(test)]
mod tests {
    use super::{Death, Told};

    #[test]
    fn what_a_guard_tells_is_understood() {
        let ends = [Death::Signal(9), Death::Signal(64), Death::Code(3), Death::Code(-1)].map(Told::Ended);
        for told in ends.into_iter().chain([Told::Started(4711)]) {
            assert_eq!(Told::parse(&told.to_string()), Some(told));
        }
    }
}
