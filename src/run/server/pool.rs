//! The servers of a session: started when a run needs one, shared as far as the plan allows, ended when nobody needs them.

use super::log;
use super::started::{Server, Start, Waited};
use crate::condition::Isolation;
use crate::engine::{self, Endpoint, Launch};
use crate::record::{Outcome, load_run, save_record};
use crate::run::child::{ChildEnd, ChildError, run_in_child, unavailable};
use crate::run::request::{RunRequest, Step};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Time in which a guard tells that its server died.
const DEATH_SHOWS: Duration = Duration::from_millis(300);

/// Servers that run, and where the log of the last one is kept.
#[derive(Debug)]
pub(in crate::run) struct Servers {
    log: PathBuf,
    held: Vec<Held>,
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
    /// It needs no server.
    Nothing,
    /// Its server is ready.
    Ready(Endpoint, Launch),
    /// We were asked to stop.
    Stopped,
}

impl Servers {
    /// None yet; logs go into `folder`.
    pub(in crate::run) fn new(folder: &Path) -> Self {
        Self { log: folder.join(log::NAME), held: Vec::new() }
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
        match self.find(request, limit, stop) {
            Ok(Found::Nothing) => run_in_child(request, limit, stop, on_step),
            Ok(Found::Stopped) => Ok(ChildEnd::Stopped),
            Ok(Found::Ready(endpoint, launch)) => {
                let mut request = RunRequest { endpoint: Some(endpoint), ..request.clone() };
                request.context.server = Some(without_folders(&launch));
                let end = run_in_child(&request, limit, stop, on_step);
                self.after(&request, &end)?;
                end
            }
            Err(problem) => {
                self.held.clear();
                save_record(&request.output, &unavailable(request, problem, began.elapsed()))?;
                Ok(ChildEnd::Recorded)
            }
        }
    }

    fn find(&mut self, request: &RunRequest, limit: Duration, stop: &AtomicBool) -> Result<Found, String> {
        let place = Place { workload: request.workload.name.clone(), block: request.identity.slot.block };
        self.held.retain_mut(|held| held.place == place && held.server.ended().is_none());
        let settings = request.for_engine();
        let launch = |port| engine::launch(&settings, &request.base, port).map_err(|error| error.to_string());
        let Some(key) = launch(0)? else { return Ok(Found::Nothing) };
        if let Some(held) = self.held.iter().find(|held| held.key == key) {
            let endpoint = Endpoint { load_s: None, ..held.server.endpoint.clone() };
            return Ok(Found::Ready(endpoint, held.launch.clone()));
        }
        let port = free_port().map_err(|error| format!("no free port on 127.0.0.1: {error}"))?;
        let Some(launch) = launch(port)? else { return Ok(Found::Nothing) };
        let mut server = self.start(&launch, port, request)?;
        match server.wait(launch.ready, limit, stop) {
            Waited::Stopped => Ok(Found::Stopped),
            Waited::Failed(problem) => Err(problem),
            Waited::Ready => {
                let endpoint = server.endpoint.clone();
                self.held.push(Held { key, launch: launch.clone(), place, server });
                Ok(Found::Ready(endpoint, launch))
            }
        }
    }

    fn start(&self, launch: &Launch, port: u16, request: &RunRequest) -> Result<Server, String> {
        let unread = |(path, error): (PathBuf, std::io::Error)| format!("{}: {error}", path.display());
        let identity = engine::identity(&launch.program).map_err(unread)?;
        let start = Start { planrun: &request.binary.path, identity, log: &self.log };
        Server::start(launch, port, &start)
            .map_err(|error| format!("{}: cannot be started: {error}", launch.program.display()))
    }

    /// A run's own server ends with it; a shared one does where the run failed, or was stopped, with it.
    fn after(&mut self, request: &RunRequest, end: &Result<ChildEnd, ChildError>) -> Result<(), ChildError> {
        let recorded = matches!(end, Ok(ChildEnd::Recorded));
        let mut done = false;
        if recorded {
            done = self.told_of_deaths(request)?;
        }
        if request.workload.isolation != Isolation::Block || !done {
            self.held.clear();
        }
        Ok(())
    }

    /// Writes into the record that the server died under the run; true if the run was measured all the same.
    fn told_of_deaths(&mut self, request: &RunRequest) -> Result<bool, ChildError> {
        let process = request.endpoint.as_ref().map(|endpoint| endpoint.process);
        let server = self.held.iter_mut().find(|held| Some(held.server.endpoint.process) == process);
        let mut record = load_run(&request.output)?;
        let sound = record.outcome == Outcome::Done && record.items.iter().all(|item| item.error.is_none());
        let moment = if sound { Duration::ZERO } else { DEATH_SHOWS };
        let Some(server) = server.map(|held| &mut held.server) else { return Ok(sound) };
        let Some(how) = server.ended_within(moment) else { return Ok(sound) };
        record.warnings.push(format!("the server {how} during the run; {}", server.last_words()));
        save_record(&request.output, &record)?;
        Ok(false)
    }
}

/// A port that was free a moment ago.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// The command line as records tell it: where files lie on this machine is nobody's business.
fn without_folders(launch: &Launch) -> String {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    Launch {
        program: PathBuf::from(name(&launch.program.display().to_string())),
        arguments: launch.arguments.iter().map(|argument| name(argument)).collect(),
        environment: launch.environment.clone(),
        ready: launch.ready,
    }
    .shown()
}
