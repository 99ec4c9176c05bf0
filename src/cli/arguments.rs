//! The command line: what can be asked, and who answers.

use super::pair_arguments::PairArguments;
use super::{compare, explain, pico};
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
    /// Compare two records: a labelled difference, or a refusal
    Compare(PairArguments),
    /// Show what the guard sees between two records, field by field
    Explain(PairArguments),
    /// Make the embedded model and its task sets
    #[command(subcommand)]
    Pico(pico::PicoCommand),
}

/// Parses the command line and does what it asks for.
pub fn run() -> Exit {
    let Arguments { command } = Arguments::parse();
    match command {
        Command::Compare(pair) => compare::run(&pair),
        Command::Explain(pair) => explain::run(&pair),
        Command::Pico(command) => pico::run(command),
    }
}
