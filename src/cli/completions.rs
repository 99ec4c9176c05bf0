//! `planrun completions`: completion scripts for shells.

use super::output::print;
use crate::exit::Exit;
use clap::{Args, Command};
use clap_complete::Shell;

/// Write a completion script for a shell to standard output
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// Which shell.
    shell: Shell,
}

/// Writes the script for `command`.
pub(super) fn run(arguments: &CompletionsArguments, mut command: Command) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "planrun", &mut script);
    print(&String::from_utf8_lossy(&script));
    Exit::Done
}
