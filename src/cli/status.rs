//! `planrun status`: what of a plan is done, failed and missing, and how long the rest will take.

use super::check::about;
use super::output::{complain, print};
use super::run::outcome_of_runs;
use crate::exit::Exit;
use crate::plan::Planned;
use crate::record::{Outcome, RunRecord};
use crate::run::{SessionEnd, costs_of_records, prepare, present_state, seconds_left};
use clap::Args;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Failures that are listed by name.
const LISTED: usize = 20;

/// Whose state.
#[derive(Debug, Args)]
pub(super) struct StatusArguments {
    /// The plan.
    #[arg(value_name = "PLAN.toml")]
    plan: PathBuf,
    /// Overrides under which the plan ran.
    #[arg(long, value_name = "settings.KEY=VALUE")]
    set: Vec<String>,
}

/// Prints the state; the exit code is the one that `planrun run` would give for the runs as they are.
pub(super) fn run(arguments: &StatusArguments) -> Exit {
    let planned = match prepare(&arguments.plan, &arguments.set) {
        Ok(planned) => planned,
        Err(errors) => {
            complain(&errors);
            return Exit::PlanInvalid;
        }
    };
    match present_state(&planned) {
        Ok(Some(state)) => {
            print(&describe(&planned, &state));
            outcome_of_runs(&state.records, state.missing)
        }
        Ok(None) => {
            print(&format!(
                "no runs yet of {} planned\nbegin with\n  planrun run {}\n",
                planned.run_count(),
                arguments.plan.display()
            ));
            Exit::Incomplete
        }
        Err(error) => {
            complain(&error);
            Exit::Internal
        }
    }
}

fn describe(planned: &Planned, state: &SessionEnd) -> String {
    let failed: Vec<(&RunRecord, &str)> = state.records.iter().filter_map(failure).collect();
    let done = state.records.len() - failed.len();
    let mut text = format!(
        "{done} of {} runs measured, {} failed, {} missing\nrecords  {}\n",
        planned.run_count(),
        failed.len(),
        state.missing,
        state.store.folder().display()
    );
    if let Some(seconds) = seconds_left(planned, state, &costs_of_records(planned, &state.records)) {
        let _ = writeln!(text, "left     {}", about(seconds / 60.0));
    }
    for (record, error) in failed.iter().take(LISTED) {
        let _ = writeln!(text, "failed   {}: {}", record.id, error.lines().next().unwrap_or_default());
    }
    if failed.len() > LISTED {
        let _ = writeln!(text, "         and {} more", failed.len() - LISTED);
    }
    text
}

fn failure(record: &RunRecord) -> Option<(&RunRecord, &str)> {
    match &record.outcome {
        Outcome::Done => None,
        Outcome::Failed { error, .. } => Some((record, error)),
    }
}
