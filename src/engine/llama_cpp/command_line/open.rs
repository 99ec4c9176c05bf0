//! From settings to a program that can be started for each request.

use super::arguments::Command;
use super::speaker::CommandLine;
use crate::condition::{Observed, Runtime, Settings};
use crate::engine::EngineError;
use crate::engine::llama_cpp::launch::Started;
use crate::engine::outside::{LocalFiles, Opening, Outside, identity, without_the_shells_settings};
use std::io;
use std::path::{Path, PathBuf};

/// Looks at the model's files and at the program; nothing is computed yet.
pub(in crate::engine) fn open(opening: &Opening<'_>) -> Result<Outside, EngineError> {
    let files = opening.files()?;
    let command = Command::of(opening.settings, opening.base)?;
    let observed = observed(&files, &command, opening.settings)?;
    let ends = files.prompts.vocabulary.ends();
    let speaker = CommandLine { command, added: files.added_there(), ends };
    let outside = Outside::new(Some(files), observed, opening.settings.thinking, Box::new(speaker));
    Ok(outside.held_to(opening.constraint()?))
}

/// What it is started with by us is as good as read.
fn observed(files: &LocalFiles, command: &Command, settings: &Settings) -> Result<Observed, EngineError> {
    let started = Started::with(settings);
    let mut found = files.observed.clone();
    found.threads = started.threads.into();
    found.kv_cache_dtype = started.kv_cache_dtype.into();
    found.prefill_chunk = started.prefill_chunk.into();
    found.context_length = command.context.into();
    if settings.placement.get().is_some_and(|place| place == "cpu") {
        found.placement = settings.placement.clone();
    }
    found.runtime = Runtime {
        name: "llama.cpp (llama-completion)".to_owned(),
        version: version(&command.program)?,
        binary: identity(&command.program).map_err(unreadable)?,
    }
    .into();
    Ok(found)
}

fn unreadable((path, error): (PathBuf, io::Error)) -> EngineError {
    let remedy = "make it and the libraries beside it readable".to_owned();
    EngineError::Unusable { path, problem: error.to_string(), remedy }
}

/// `version: 0.6.0-dev (build 11434, commit unknown)`, on whichever of its outputs it says so.
fn version(program: &Path) -> Result<String, EngineError> {
    let mut command = std::process::Command::new(program);
    without_the_shells_settings(&mut command);
    let said = command
        .arg("--version")
        .output()
        .map_err(|error| EngineError::NoProgram { path: program.to_owned(), problem: error.to_string() })?;
    let words = [said.stdout, said.stderr].concat();
    let words = String::from_utf8_lossy(&words);
    let line = words.lines().find_map(|line| line.strip_prefix("version: "));
    line.map(|version| version.trim().to_owned()).ok_or_else(|| EngineError::Unusable {
        path: program.to_owned(),
        problem: "`--version` says no version".to_owned(),
        remedy: "name `llama-completion` of llama.cpp with `program`".to_owned(),
    })
}
