//! The `planrun` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    planrun::cli::run().into()
}
