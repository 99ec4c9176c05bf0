//! The command line: what can be asked, and who answers.

use super::check::{self, CheckArguments};
use super::completions::{self, CompletionsArguments};
use super::graph::{self, GraphArguments};
use super::guard::{self, GuardArguments};
use super::init::{self, InitArguments};
use super::pair_arguments::PairArguments;
use super::render::{self, RenderArguments};
use super::report::{self, ReportArguments};
use super::run::RunArguments;
use super::schema::{self, SchemaArguments};
use super::selftest::{self, SelftestArguments};
use super::status::{self, StatusArguments};
use super::tokens::{self, TokensArguments};
use super::{compare, exec, explain, pico, run as run_plan};
use crate::exit::Exit;
use clap::{CommandFactory, Parser, Subcommand};
use std::ffi::OsString;

/// Plans, runs and judges single-variable comparisons of small language models.
///
/// `planrun PLAN.toml` is short for `planrun run PLAN.toml`.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 110)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make the runs of a plan that are missing, and render its report.
    Run(RunArguments),
    /// Render a report anew from its records
    Report(ReportArguments),
    /// Say what of a plan is done, failed and missing
    Status(StatusArguments),
    Check(CheckArguments),
    Graph(GraphArguments),
    Render(RenderArguments),
    Tokens(TokensArguments),
    Init(InitArguments),
    /// Compare two records: a labelled difference, or a refusal
    Compare(PairArguments),
    /// Show what the guard sees between two records, field by field
    Explain(PairArguments),
    Schema(SchemaArguments),
    Selftest(SelftestArguments),
    Completions(CompletionsArguments),
    /// Make the embedded model and its task sets
    #[command(subcommand)]
    Pico(pico::PicoCommand),
    /// One run in a process of its own; called by `run`.
    #[command(hide = true)]
    Exec,
    /// The server of `selftest --streams` alone, for other clients.
    #[command(hide = true)]
    StreamServer(selftest::StreamServerArguments),
    /// The process before a server that `run` started.
    #[command(hide = true)]
    Guard(GuardArguments),
}

/// Parses the command line and does what it asks for.
pub fn run() -> Exit {
    match Arguments::parse_from(with_command(std::env::args_os().collect())).command {
        Command::Run(arguments) => run_plan::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Graph(arguments) => graph::run(&arguments),
        Command::Render(arguments) => render::run(&arguments),
        Command::Tokens(arguments) => tokens::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Compare(pair) => compare::run(&pair),
        Command::Explain(pair) => explain::run(&pair),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Selftest(arguments) => selftest::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, Arguments::command()),
        Command::Pico(command) => pico::run(command),
        Command::Exec => exec::exec(),
        Command::StreamServer(arguments) => selftest::serve(&arguments),
        Command::Guard(arguments) => guard::run(&arguments),
    }
}

/// Puts `run` before a plan that is named without a command.
fn with_command(mut words: Vec<OsString>) -> Vec<OsString> {
    let is_plan = words.get(1).is_some_and(|word| {
        let word = word.to_string_lossy();
        word.ends_with(".toml")
            && !Arguments::command().get_subcommands().any(|command| command.get_name() == word)
    });
    if is_plan {
        words.insert(1, "run".into());
    }
    words
}
