//! `planrun selftest`: simulated plans through the real order and the real statistics.

use super::output::{complain, print};
use crate::exit::Exit;
use crate::stats::simulation::{Row, Trace, built_in_traces, render, run_selftest, scenarios};
use clap::Args;
use std::path::PathBuf;

/// Simulate plans on known noise: false alarms, coverage, power, and what other methods make of the same noise
#[derive(Debug, Args)]
pub(super) struct SelftestArguments {
    /// Simulated plans for each kind of noise, grid and number of blocks.
    #[arg(long, default_value_t = 2000)]
    plans: u64,
    /// Seed of the simulation.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A recorded trace (CSV with a header) whose windows serve as noise, beside the built-in ones.
    #[arg(long, value_name = "TRACE.csv")]
    trace: Option<PathBuf>,
    /// Column of the trace.
    #[arg(long, default_value = "decode_tok_s")]
    column: String,
}

/// Simulates and prints the table; [`Exit::GateFailed`] if a row is not as it must be.
pub(super) fn run(arguments: &SelftestArguments) -> Exit {
    let traces = match traces(arguments) {
        Ok(traces) => traces,
        Err(error) => {
            complain(&error);
            return Exit::Internal;
        }
    };
    let scenarios = scenarios(&traces);
    let all = scenarios.len();
    let mut done = 0;
    let rows = run_selftest(scenarios, arguments.seed, arguments.plans, |row| {
        done += 1;
        complain(&format!("{done} of {all}: {}", name(row)));
    });
    print(&render(&rows));
    if rows.iter().all(|row| row.failures().is_empty()) { Exit::Done } else { Exit::GateFailed }
}

fn name(row: &Row) -> String {
    let scenario = &row.scenario;
    format!("{}, {}, {} blocks", scenario.noise.name(), scenario.grid.name(), scenario.blocks)
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
