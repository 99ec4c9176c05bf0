//! `planrun guard`: the process between planrun and a server that it started. Not for people.

use super::output::{complain, print};
use crate::exit::Exit;
use crate::run::guard;
use clap::Args;
use std::ffi::OsString;

/// What to start.
#[derive(Debug, Args)]
pub(super) struct GuardArguments {
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    words: Vec<OsString>,
}

/// Guards until the program has ended. [`Exit::EngineUnavailable`]: it could not be started; why goes to its log.
pub(super) fn run(arguments: &GuardArguments) -> Exit {
    let tell = &mut |line: &str| {
        print(&format!("{line}\n"));
    };
    match guard(&arguments.words, tell) {
        Ok(()) => Exit::Done,
        Err(error) => {
            complain(&error);
            Exit::EngineUnavailable
        }
    }
}
