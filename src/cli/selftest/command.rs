//! The command: the table of simulated plans, and below it the plans that went end to end.

use super::end_to_end::{EndToEnd, rehearse, spread};
use super::streams::overhead;
use crate::cli::output::{complain, print};
use crate::exit::Exit;
use crate::stats::simulation::{Row, Scenario, Trace, built_in_traces, render, run_selftest, scenarios};
use clap::Args;
use std::path::PathBuf;

/// Simulate plans on known noise: false alarms, coverage, power, and what other methods make of the same noise
#[derive(Debug, Args)]
pub(in crate::cli) struct SelftestArguments {
    /// Simulated plans for each kind of noise, grid and number of blocks.
    #[arg(long, default_value_t = 2000)]
    plans: u64,
    /// Seed of the simulation.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Plans that also go end to end: from a plan file through a store to the report, which must say what the statistics
    /// say.
    #[arg(long, default_value_t = 20, value_name = "PLANS")]
    end_to_end: usize,
    /// Instead, measure how exactly streams of a server are timed: up to 256 at once, on a server of known times.
    #[arg(long)]
    streams: bool,
    /// A recorded trace (CSV with a header) whose windows serve as noise, beside the built-in ones.
    #[arg(long, value_name = "TRACE.csv")]
    trace: Option<PathBuf>,
    /// Column of the trace.
    #[arg(long, default_value = "decode_tok_s")]
    column: String,
}

/// Simulates and prints the table; [`Exit::GateFailed`] if a row is not as it must be, or a report disagrees.
pub(in crate::cli) fn run(arguments: &SelftestArguments) -> Exit {
    if arguments.streams {
        return overhead();
    }
    let traces = match traces(arguments) {
        Ok(traces) => traces,
        Err(error) => {
            complain(&error);
            return Exit::Internal;
        }
    };
    let scenarios = scenarios(&traces);
    let whole_way = spread(&scenarios, arguments.end_to_end);
    let rows = table(scenarios, arguments);
    print(&render(&rows));
    let as_they_must = rows.iter().all(|row| row.failures().is_empty());
    let rehearsed = end_to_end(&whole_way, arguments.seed);
    if rehearsed.plans > 0 {
        print(&rehearsed.render());
    }
    if as_they_must && rehearsed.passed() { Exit::Done } else { Exit::GateFailed }
}

fn table(scenarios: Vec<Scenario>, arguments: &SelftestArguments) -> Vec<Row> {
    let all = scenarios.len();
    let mut done = 0;
    run_selftest(scenarios, arguments.seed, arguments.plans, |row| {
        done += 1;
        complain(&format!("{done} of {all}: {}", row.scenario.name()));
    })
}

fn end_to_end(scenarios: &[Scenario], seed: u64) -> EndToEnd {
    let mut done = 0;
    rehearse(scenarios, seed, |outcome| {
        done += 1;
        complain(&format!("end to end, {done} of {}: {outcome}", scenarios.len()));
    })
}

fn traces(arguments: &SelftestArguments) -> Result<Vec<Trace>, String> {
    let mut traces = built_in_traces().map_err(|error| error.to_string())?.to_vec();
    if let Some(path) = &arguments.trace {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = format!("{} {}", path.display(), arguments.column);
        let trace = Trace::from_csv(&name, &text, &arguments.column);
        traces.push(trace.map_err(|error| format!("{}: {error}", path.display()))?);
    }
    Ok(traces)
}
