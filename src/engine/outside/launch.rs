//! How a server is started.

use crate::condition::Settings;
use std::path::PathBuf;

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

impl Launch {
    /// The command line as a person would type it.
    pub fn shown(&self) -> String {
        let variables = self.environment.iter().map(|(name, value)| format!("{name}={value}"));
        let program = self.program.display().to_string();
        let words = [program].into_iter().chain(self.arguments.iter().cloned()).map(|word| quoted(&word));
        variables.chain(words).collect::<Vec<_>>().join(" ")
    }

    /// Adds the arguments that the plan wants passed on as they are.
    #[must_use]
    pub(in crate::engine) fn with_arguments_of(mut self, settings: &Settings) -> Self {
        self.arguments.extend(settings.arguments.get().into_iter().flatten().cloned());
        self
    }
}

fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=./:,@+%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
