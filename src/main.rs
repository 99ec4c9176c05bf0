//! Runs the self-test of the statistics.

use std::io::Write;

use planrun::stats::simulation::{built_in_traces, render, run_selftest, scenarios};

fn main() -> std::process::ExitCode {
    let plans = std::env::args().nth(2).and_then(|text| text.parse().ok()).unwrap_or(2000);
    let Ok(traces) = built_in_traces() else { return std::process::ExitCode::FAILURE };
    let rows = run_selftest(scenarios(&traces), 1, plans, |_| ());
    let _ = std::io::stdout().write_all(render(&rows).as_bytes());
    std::process::ExitCode::from(u8::from(rows.iter().any(|row| !row.failures().is_empty())))
}
