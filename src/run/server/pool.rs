//! The servers of a session: started when a run needs one, shared as far as the plan allows, ended when nobody needs them.

use super::attached::{Attachments, Met};
use super::ending::Gone;
use super::guard::LAST_WORDS;
use super::log;
use super::own::{Own, OwnPrograms};
use super::refusals::Refusals;
use super::started::{Server, Start, Waited};
use crate::condition::{Isolation, Settings};
use crate::engine::{self, Attached, Endpoint, Launch};
use crate::record::{FailureKind, Outcome, RunRecord, load_run, save_record};
use crate::run::child::{ChildEnd, ChildError, run_in_child, unavailable};
use crate::run::request::{RunRequest, Step};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Time in which a guard tells that its server died: it lets the log come to its end first.
const DEATH_SHOWS: Duration = LAST_WORDS.saturating_add(Duration::from_millis(300));

/// Servers that run, and where their logs are kept.
#[derive(Debug)]
pub(in crate::run) struct Servers {
    logs: PathBuf,
    held: Vec<Held>,
    attached: Attachments,
    refusals: Refusals,
    own: OwnPrograms,
}

/// A server and what it may be used for again.
#[derive(Debug)]
struct Held {
    /// Its command line without the port.
    key: Launch,
    /// The same with its port.
    launch: Launch,
    place: Place,
    server: Server,
}

/// Runs of one block of one workload may share a server.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    workload: String,
    block: u32,
}

/// What a run can count on.
enum Found {
    /// It needs no server, or one that is there already.
    Nothing,
    /// It starts its program itself.
    Own(Own),
    /// Its server is ready.
    Ready(Endpoint, Launch),
    /// We were asked to stop.
    Stopped,
}

impl Servers {
    /// None yet; logs go into `folder`.
    pub(in crate::run) fn new(folder: &Path) -> Self {
        Self {
            logs: folder.to_owned(),
            held: Vec::new(),
            attached: Attachments::default(),
            refusals: Refusals::default(),
            own: OwnPrograms::default(),
        }
    }

    /// Makes sure that a server that runs already is there before the first run; later it is waited for.
    ///
    /// # Errors
    /// When it does not answer: how that shows.
    pub(in crate::run) fn greet(
        &mut self,
        server: Attached,
        limit: Duration,
        stop: &AtomicBool,
        waits: &mut dyn FnMut(&str),
    ) -> Result<(), String> {
        self.attached.greet(server, limit, stop, waits)
    }

    /// The server that so many runs in a row have failed for that the session should end, if there is one.
    pub(in crate::run) fn given_up(&self) -> Option<&str> {
        self.attached.given_up()
    }

    /// Makes one run, with the server that it needs. One that cannot be had makes the run's record a failure.
    pub(in crate::run) fn run(
        &mut self,
        request: &RunRequest,
        limit: Duration,
        stop: &AtomicBool,
        on_step: &mut dyn FnMut(Step),
    ) -> Result<ChildEnd, ChildError> {
        let began = Instant::now();
        match self.find(request, limit, stop, on_step) {
            Ok(Found::Nothing) => run_in_child(request, limit, stop, on_step),
            Ok(Found::Own(own)) => {
                let mut request = request.clone();
                request.context.server = Some(own.line);
                let end = run_in_child(&request, limit, stop, on_step)?;
                self.after_own(&own.key, &request, end)?;
                Ok(end)
            }
            Ok(Found::Stopped) => Ok(ChildEnd::Stopped),
            Ok(Found::Ready(endpoint, launch)) => {
                let mut request = RunRequest { endpoint: Some(endpoint), ..request.clone() };
                request.context.server = Some(launch.without_folders().shown());
                let end = run_in_child(&request, limit, stop, on_step);
                self.after(&request, &end)?;
                end
            }
            Err(problem) => {
                save_record(&request.output, &unavailable(request, problem, began.elapsed()))?;
                Ok(ChildEnd::Recorded)
            }
        }
    }

    fn find(
        &mut self,
        request: &RunRequest,
        limit: Duration,
        stop: &AtomicBool,
        on_step: &mut dyn FnMut(Step),
    ) -> Result<Found, String> {
        let place = Place { workload: request.workload.name.clone(), block: request.identity.slot.block };
        self.held.retain_mut(|held| held.place == place && held.server.ended().is_none());
        let settings = request.for_engine();
        let Some(key) = launch(&settings, request, 0)? else {
            return match self.own.of(&settings, &request.base)? {
                Some(own) => self.refusals.verdict(&own.key).map_or(Ok(Found::Own(own)), Err),
                None => self.meet(&settings, limit, stop, on_step),
            };
        };
        if let Some(held) = self.held.iter().find(|held| held.key == key) {
            let endpoint = Endpoint { load_s: None, ..held.server.endpoint.clone() };
            return Ok(Found::Ready(endpoint, held.launch.clone()));
        }
        if let Some(verdict) = self.refusals.verdict(&key.shown()) {
            return Err(verdict);
        }
        self.begin(key, place, request, limit, stop)
    }

    /// Starts the server of a run.
    fn begin(
        &mut self,
        key: Launch,
        place: Place,
        request: &RunRequest,
        limit: Duration,
        stop: &AtomicBool,
    ) -> Result<Found, String> {
        let line = key.shown();
        let port = free_port().map_err(|error| format!("no free port on 127.0.0.1: {error}"))?;
        let Some(launch) = launch(&request.for_engine(), request, port)? else { return Ok(Found::Nothing) };
        let mut server =
            self.start(&launch, port, request).inspect_err(|what| self.not_started(&line, what))?;
        match server.wait(launch.ready, limit, stop) {
            Waited::Stopped => Ok(Found::Stopped),
            Waited::Failed(what) => {
                self.not_started(&line, &what);
                Err(format!("{what}; {}", server.last_words()))
            }
            Waited::Ready => {
                self.refusals.forget(&line);
                let endpoint = server.endpoint.clone();
                self.held.push(Held { key, launch: launch.clone(), place, server });
                Ok(Found::Ready(endpoint, launch))
            }
        }
    }

    /// A server did not come up. Those of other runs end: what they hold may be what it lacked.
    fn not_started(&mut self, line: &str, problem: &str) {
        self.refusals.add(line, problem);
        self.held.clear();
    }

    /// Waits for the server that runs already, if the run asks one.
    fn meet(
        &mut self,
        settings: &Settings,
        limit: Duration,
        stop: &AtomicBool,
        on_step: &mut dyn FnMut(Step),
    ) -> Result<Found, String> {
        let Some(server) = engine::attached(settings) else { return Ok(Found::Nothing) };
        match self.attached.meet(&server, limit, stop, &mut || on_step(Step::Waiting)) {
            Met::There => Ok(Found::Nothing),
            Met::Stopped => Ok(Found::Stopped),
            Met::Away(how) => Err(format!(
                "{how}, though it had answered before; start it again, and make this run again with --retry-failed"
            )),
        }
    }

    fn start(&self, launch: &Launch, port: u16, request: &RunRequest) -> Result<Server, String> {
        let unread = |(path, error): (PathBuf, std::io::Error)| format!("{}: {error}", path.display());
        let identity = engine::identity(&launch.program).map_err(unread)?;
        let start = Start { planrun: &request.binary.path, identity, log: &self.free_log() };
        Server::start(launch, port, &start)
            .map_err(|error| format!("{}: cannot be started: {error}", launch.program.display()))
    }

    /// A log that no server writes to now.
    fn free_log(&self) -> PathBuf {
        let mut path = self.logs.join(log::name(1));
        for number in 2.. {
            if self.held.iter().all(|held| held.server.log != path) {
                break;
            }
            path = self.logs.join(log::name(number));
        }
        path
    }

    /// Counts the runs that could not open the program that they start themselves.
    fn after_own(&mut self, key: &str, request: &RunRequest, end: ChildEnd) -> Result<(), ChildError> {
        if end == ChildEnd::Recorded {
            match load_run(&request.output)?.outcome {
                Outcome::Failed { kind: FailureKind::EngineUnavailable, error } => {
                    self.refusals.add(key, &error);
                }
                _ => self.refusals.forget(key),
            }
        }
        Ok(())
    }

    /// A run's own server ends with it; a shared one does where the run failed, or was stopped, with it.
    fn after(&mut self, request: &RunRequest, end: &Result<ChildEnd, ChildError>) -> Result<(), ChildError> {
        let recorded = matches!(end, Ok(ChildEnd::Recorded));
        let mut done = false;
        if recorded {
            done = self.told_of_the_server(request)?;
        }
        if request.workload.isolation != Isolation::Block || !done {
            self.held.clear();
        }
        Ok(())
    }

    /// Writes into the record what the run itself could not know of its server; true if the run was measured and the server lives.
    fn told_of_the_server(&mut self, request: &RunRequest) -> Result<bool, ChildError> {
        let process = request.endpoint.as_ref().map(|endpoint| endpoint.process);
        let server = self.held.iter_mut().find(|held| Some(held.server.endpoint.process) == process);
        let mut record = load_run(&request.output)?;
        let sound = record.outcome == Outcome::Done && record.items.iter().all(|item| item.error.is_none());
        let moment = if sound { Duration::ZERO } else { DEATH_SHOWS };
        let Some(server) = server.map(|held| &mut held.server) else { return Ok(sound) };
        let ended = server.ended_within(moment);
        if tell_of(server, ended, &mut record) {
            save_record(&request.output, &record)?;
        }
        Ok(sound && ended.is_none())
    }
}

/// What happened to the server comes first, then the end of its log, then what its reader saw of it; false if there is nothing to tell.
fn tell_of(server: &Server, ended: Option<Gone>, record: &mut RunRecord) -> bool {
    let what = ended.map(|how| server.end_in_words(how, "during this run"));
    match (&mut record.outcome, what) {
        (Outcome::Failed { error, .. }, Some(what)) => {
            *error = format!("{what}; {}\nwhat its reader saw: {error}", server.last_words());
        }
        (Outcome::Failed { kind: FailureKind::Timeout, error }, None) => {
            *error = format!("{error}; {}", server.last_words());
        }
        (Outcome::Done, Some(what)) => record.warnings.push(format!("{what}; {}", server.last_words())),
        (_, None) => return false,
    }
    true
}

/// The server that a run needs; what the engine refuses, in words.
fn launch(settings: &Settings, request: &RunRequest, port: u16) -> Result<Option<Launch>, String> {
    engine::launch(settings, &request.base, port).map_err(|error| error.to_string())
}

/// A port that was free a moment ago.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
