//! `planrun run`: make the runs of a plan that are missing, and render its report.

use super::again::{retry_command, this_command};
use super::network::with_models;
use super::output::{complain, print};
use super::permissions::PermissionArguments;
use super::publish::{When, publish};
use super::touched::Touched;
use crate::exit::Exit;
use crate::plan::Planned;
use crate::record::{FailureKind, Outcome, RunRecord};
use crate::run::{Choices, SessionEnd, SessionError, is_done, models_of_hub, prepare, session};
use clap::Args;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Blocks of `--quick`: enough for an interval, too few for a verdict.
const QUICK_BLOCKS: usize = 2;

/// What to run and how.
#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// The plan.
    #[arg(value_name = "PLAN.toml")]
    plan: PathBuf,
    /// Only two blocks: intervals, no verdicts.
    #[arg(long)]
    quick: bool,
    /// Set a key of the plan; recorded. Can be given several times.
    #[arg(long, value_name = "settings.KEY=VALUE")]
    set: Vec<String>,
    /// Write the report to `reports/` even if one is there.
    #[arg(long)]
    publish: bool,
    /// Go on although other inference servers run on this machine; every record says so.
    #[arg(long)]
    beside_servers: bool,
    #[command(flatten)]
    permissions: PermissionArguments,
    #[command(flatten)]
    earlier: EarlierRuns,
}

/// How to treat runs that are there.
#[derive(Debug, Args)]
struct EarlierRuns {
    /// Begin a new store, and leave the runs that are there alone.
    #[arg(long)]
    fresh: bool,
    /// Make failed runs again.
    #[arg(long)]
    retry_failed: bool,
}

/// Runs the plan.
pub(super) fn run(arguments: &RunArguments) -> Exit {
    let planned = match prepare(&arguments.plan, &arguments.set) {
        Ok(planned) => planned,
        Err(errors) => return refuse(Exit::PlanInvalid, &errors),
    };
    let choices = Choices {
        fresh: arguments.earlier.fresh,
        retry_failed: arguments.earlier.retry_failed,
        beside_servers: arguments.beside_servers,
    };
    let planned = match with_what_it_needs(planned, arguments, choices) {
        Ok(planned) => planned,
        Err(exit) => return exit,
    };
    let stop = match stop_on_signals() {
        Ok(stop) => stop,
        Err(error) => return refuse(Exit::Internal, &error),
    };
    match session(&shortened(&planned, arguments.quick), choices, &stop, &mut |line| complain(&line)) {
        Ok(end) => conclude(arguments, planned, &end),
        Err(error @ (SessionError::Neighbours(_) | SessionError::Away(_))) => {
            refuse(Exit::EngineUnavailable, &error)
        }
        Err(error) => refuse(Exit::Internal, &error),
    }
}

/// The plan with leave for what it does and with its models in the cache; one that is done needs neither.
fn with_what_it_needs(planned: Planned, arguments: &RunArguments, choices: Choices) -> Result<Planned, Exit> {
    let asked = shortened(&planned, arguments.quick);
    // a store that cannot be read is told by the session
    if is_done(&asked, choices).unwrap_or(false) {
        return Ok(planned);
    }
    arguments.permissions.check(&asked)?;
    let planned = with_models(planned, &models_of_hub(&asked), &arguments.permissions.network)?;
    // Better told once than found in every run.
    let touched = Touched::by(&planned);
    for obstacle in touched.obstacles() {
        complain(&obstacle);
    }
    touched.obstacle().map_or(Ok(planned), Err)
}

fn refuse(exit: Exit, error: &dyn Display) -> Exit {
    complain(error);
    exit
}

/// The plan, or where it is to be quick the first blocks of every workload.
fn shortened(planned: &Planned, quick: bool) -> Planned {
    let mut planned = planned.clone();
    if !quick {
        return planned;
    }
    for workload in planned.workloads.iter_mut().filter(|workload| !workload.once) {
        workload.blocks.truncate(QUICK_BLOCKS);
    }
    let blocks = &mut planned.document.schedule.blocks;
    *blocks = (*blocks).min(QUICK_BLOCKS as u32);
    planned
}

/// The first signal stops in good order; a second one ends this process at once.
fn stop_on_signals() -> std::io::Result<Arc<AtomicBool>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

/// Says what was done, renders what there is, and finds the exit code.
fn conclude(arguments: &RunArguments, planned: Planned, end: &SessionEnd) -> Exit {
    let failed = end.records.iter().filter(|record| record.outcome != Outcome::Done).count();
    let done = end.records.len() - failed;
    print(&format!(
        "{done} of {} runs measured, {failed} failed, {} missing\nrecords  {}\n",
        end.records.len() + end.missing,
        end.missing,
        end.store.folder().display()
    ));
    let exit = outcome_of_runs(&end.records, end.missing).worst(report(arguments, planned, end));
    if end.tally.stopped {
        print(&format!("stopped; go on with\n  {}\n", this_command()));
    } else if let Some(server) = &end.tally.given_up {
        print(&format!(
            "stopped: {server} stayed away; what was measured until then is kept. Start that server, and go on with\n  {}\n",
            retry_command()
        ));
    } else if failed > 0 {
        print(&format!("failed runs stay on record; make them again with\n  {}\n", retry_command()));
    }
    exit
}

fn report(arguments: &RunArguments, planned: Planned, end: &SessionEnd) -> Exit {
    if end.records.iter().all(|record| record.outcome != Outcome::Done) {
        return Exit::Done;
    }
    let when = match (arguments.publish, end.missing > 0 || arguments.quick) {
        (true, _) => When::Always,
        (false, true) => When::Never,
        (false, false) => When::IfAbsent,
    };
    match publish(&end.store, planned, when) {
        Ok(published) => {
            print(&format!("{}\n", published.lines.join("\n")));
            if published.analysis.refused.is_empty() { Exit::Done } else { Exit::Incomparable }
        }
        Err(error) => refuse(Exit::Internal, &error),
    }
}

/// Precedence: an engine that could not be opened, then failed or missing runs.
pub(super) fn outcome_of_runs(records: &[RunRecord], missing: usize) -> Exit {
    let by_kind = records.iter().map(|record| match record.outcome {
        Outcome::Done => Exit::Done,
        Outcome::Failed { kind: FailureKind::EngineUnavailable, .. } => Exit::EngineUnavailable,
        Outcome::Failed { .. } => Exit::Incomplete,
    });
    let start = if missing > 0 { Exit::Incomplete } else { Exit::Done };
    by_kind.fold(start, Exit::worst)
}
