//! How a server is started.

use crate::condition::Settings;
use crate::shell::quoted;
use std::path::{Path, PathBuf};

/// What is to be started for a cell: pure data, so that a plan can show it before anything runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program's file.
    pub program: PathBuf,
    /// Its arguments, those of the plan last.
    pub arguments: Vec<String>,
    /// Environment variables that it gets besides our own.
    pub environment: Vec<(&'static str, String)>,
    /// The path that answers with a status below 300 as soon as the server is ready.
    pub ready: &'static str,
}

/// A program that an engine starts itself: a worker, or one for each request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnProgram {
    /// The program's file.
    pub program: PathBuf,
    /// The arguments that all its starts share.
    pub arguments: Vec<String>,
    /// What is done with it, in words that follow the command line.
    pub how: &'static str,
}

impl OwnProgram {
    /// The command line as a person would type it, and what is done with it.
    pub fn shown(&self) -> String {
        format!("{}{}", command_line(&self.program, &self.arguments), self.how)
    }

    /// The same as records tell it: where files lie on this machine is nobody's business.
    #[must_use]
    pub fn without_folders(&self) -> Self {
        Self {
            program: PathBuf::from(file_name(&self.program.display().to_string())),
            arguments: self.arguments.iter().map(|argument| file_name(argument)).collect(),
            how: self.how,
        }
    }
}

impl Launch {
    /// The command line as a person would type it.
    pub fn shown(&self) -> String {
        let variables = self.environment.iter().map(|(name, value)| format!("{name}={value}"));
        let command = command_line(&self.program, &self.arguments);
        variables.chain([command]).collect::<Vec<_>>().join(" ")
    }

    /// The same as records tell it: where files lie on this machine is nobody's business.
    #[must_use]
    pub fn without_folders(&self) -> Self {
        Self {
            program: PathBuf::from(file_name(&self.program.display().to_string())),
            arguments: self.arguments.iter().map(|argument| file_name(argument)).collect(),
            environment: self.environment.clone(),
            ready: self.ready,
        }
    }

    /// Adds the arguments that the plan wants passed on as they are.
    #[must_use]
    pub(in crate::engine) fn with_arguments_of(mut self, settings: &Settings) -> Self {
        self.arguments.extend(settings.arguments.get().into_iter().flatten().cloned());
        self
    }
}

fn command_line(program: &Path, arguments: &[String]) -> String {
    let program = program.display().to_string();
    let words = [&program].into_iter().chain(arguments).map(|word| quoted(word));
    words.collect::<Vec<_>>().join(" ")
}

fn file_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
}
