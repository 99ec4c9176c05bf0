//! The command line: what can be asked, and who answers.

use super::pico;
use crate::exit::Exit;
use clap::{Parser, Subcommand};

/// Plans, runs and judges single-variable comparisons of small language models.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 110)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make the embedded model and its task sets
    #[command(subcommand)]
    Pico(pico::PicoCommand),
}

/// Parses the command line and does what it asks for.
pub fn run() -> Exit {
    let Arguments { command } = Arguments::parse();
    match command {
        Command::Pico(command) => pico::run(command),
    }
}
