//! What a plan does beyond this program: the programs that it starts, the servers that it asks.

use super::output::plain;
use crate::abilities::{EngineKind, abilities};
use crate::condition::Settings;
use crate::engine::{self, EngineError, Launch, http::is_loopback};
use crate::exit::Exit;
use crate::plan::Planned;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

/// Stands for the port in a command that is only shown.
const ANY_PORT: u16 = 0;
/// Most command lines that are shown.
const SHOWN: usize = 40;

/// Programs and addresses, each with what `check` says of it.
#[derive(Debug, Default)]
pub(super) struct Touched {
    /// Command lines of programs by the names that the plan has for them.
    pub(super) programs: BTreeMap<String, BTreeSet<String>>,
    /// Servers on this machine.
    here: BTreeSet<Asked>,
    /// Servers beyond it.
    pub(super) beyond: BTreeSet<Asked>,
    /// What an engine refuses of the plan, wherever it runs.
    refused: BTreeSet<String>,
    /// What is not on this machine.
    missing: BTreeSet<String>,
}

/// A server, and what it is sent besides prompts.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Asked {
    url: String,
    /// The environment variable that holds its key.
    key: Option<String>,
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            Some(variable) => write!(f, "{} (and sends it the value of ${variable})", self.url),
            None => f.write_str(&self.url),
        }
    }
}

impl Touched {
    /// By all cells of a plan.
    pub(super) fn by(planned: &Planned) -> Self {
        let mut touched = Self::default();
        for cell in &planned.cells {
            touched.add(&cell.settings, planned.folder());
        }
        touched
    }

    /// True if no server that runs already is asked, here or elsewhere.
    pub(super) fn asks_nobody(&self) -> bool {
        self.here.is_empty() && self.beyond.is_empty()
    }

    fn add(&mut self, settings: &Settings, base: &Path) {
        if let Some(url) = settings.url.get() {
            let addresses = if is_loopback(url) { &mut self.here } else { &mut self.beyond };
            addresses.insert(Asked { url: url.clone(), key: settings.api_key.get().cloned() });
            // The plan is sound: what it lacks is this machine's.
            self.missing.extend(engine::check_key(settings).err().map(|error| visible(&error.to_string())));
            return;
        }
        let Some(name) = program_of(settings) else { return };
        let command = started(settings, base).unwrap_or_else(|error| {
            self.note(&error);
            as_written(name, settings)
        });
        self.programs.entry(name.to_owned()).or_default().insert(visible(&command));
    }

    fn note(&mut self, error: &EngineError) {
        let unsupported = matches!(error, EngineError::Unsupported { .. });
        let errors = if unsupported { &mut self.refused } else { &mut self.missing };
        errors.insert(visible(&error.to_string()));
    }

    /// Why the plan cannot run as it stands ([`Exit::PlanInvalid`]), or not here ([`Exit::EngineUnavailable`]).
    pub(super) fn obstacle(&self) -> Option<Exit> {
        let invalid = (!self.refused.is_empty()).then_some(Exit::PlanInvalid);
        invalid.or((!self.missing.is_empty()).then_some(Exit::EngineUnavailable))
    }

    /// The obstacles in words.
    pub(super) fn obstacles(&self) -> Vec<String> {
        let refused = self.refused.iter().map(|error| format!("an engine refuses this plan: {error}"));
        let missing = self.missing.iter().map(|error| format!("it cannot run on this machine: {error}"));
        refused.chain(missing).collect()
    }

    /// A line for each command and address, for `check`.
    pub(super) fn lines(&self) -> Vec<String> {
        let programs = self.programs.iter();
        let commands: Vec<(&String, &String)> = programs
            .flat_map(|(name, commands)| commands.iter().map(move |command| (name, command)))
            .collect();
        let shown = commands.iter().take(SHOWN).map(|(name, command)| {
            format!("starts {}: {command}; running it needs --allow-exec", visible(name))
        });
        let more = commands.len().saturating_sub(SHOWN);
        let others = (more > 0).then(|| format!("starts programs with {more} more command lines"));
        let here = self.here.iter().map(|asked| format!("asks the server at {asked}, on this machine"));
        let beyond = self
            .beyond
            .iter()
            .map(|asked| format!("asks the server at {asked}; running it needs --allow-net"));
        shown.chain(others).chain(here).chain(beyond).chain(self.obstacles()).collect()
    }
}

/// What the user must allow for a plan to run, as far as the plan alone decides it.
pub(super) fn leave_needed(planned: &Planned) -> Vec<&'static str> {
    let cells = || planned.cells.iter().map(|cell| &cell.settings);
    let starts = |settings: &Settings| program_of(settings).is_some();
    let beyond = |settings: &Settings| settings.url.get().is_some_and(|url| !is_loopback(url));
    let exec = cells().any(starts).then_some("--allow-exec");
    exec.into_iter().chain(cells().any(beyond).then_some("--allow-net")).collect()
}

/// The program that a cell starts, by the name that the plan has for it, or its usual one.
fn program_of(settings: &Settings) -> Option<&str> {
    let usual = abilities(settings.engine.or(EngineKind::Candle)).program?;
    let is_started = settings.url.get().is_none();
    is_started.then(|| settings.program.get().map_or(usual, String::as_str))
}

/// The command line of a cell's program: of its server, else of what its engine starts itself.
fn started(settings: &Settings, base: &Path) -> Result<String, EngineError> {
    if let Some(launch) = engine::launch(settings, base, ANY_PORT)? {
        return Ok(launch.shown());
    }
    Ok(engine::own_program(settings, base)?.map_or_else(String::new, |own| own.shown()))
}

/// The program and its arguments, as the plan has them.
fn as_written(name: &str, settings: &Settings) -> String {
    let arguments = settings.arguments.get().cloned().unwrap_or_default();
    Launch { program: name.into(), arguments, environment: Vec::new(), ready: "" }.shown()
}

/// On one line: what a plan names must not look like a line of ours.
fn visible(command: &str) -> String {
    plain(command).replace('\n', "\\n").replace('\t', "\\t")
}
