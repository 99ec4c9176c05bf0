//! `planrun check`: what a plan would run, what that costs, and what it could show; or everything that is wrong with it.

use super::foreseen::memory_lines;
use super::output::plain;
use super::permissions::PermissionArguments;
use super::touched::Touched;
use crate::exit::Exit;
use crate::measure::Machine;
use crate::plan::{CostTable, Planned, PlannedWorkload, Price, detectable, price, quality_resolution};
use crate::run::{Evidence, costs, prepare};
use crate::stats::{ExactResolution, Resolution};
use clap::Args;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

/// Time for short runs that find the price of a plan without earlier records.
const PROBE_BUDGET: Duration = Duration::from_secs(20);
/// Shares of right answers for which the resolution is printed.
const SHARES: [f64; 3] = [0.5, 0.7, 0.9];
/// Standard deviations of single runs for which the detectable difference is printed.
const RUN_SDS: [f64; 3] = [0.005, 0.01, 0.02];

/// Check a plan without running it: cells, edges, runs, price, resolution; or every error at once.
#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// The plan file.
    plan: PathBuf,
    /// Override a key of the plan, such as `settings.max_tokens=64`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Make no short runs to find the price; earlier records are still used.
    #[arg(long)]
    no_probe: bool,
    #[command(flatten)]
    permissions: PermissionArguments,
}

/// Prints the summary of a valid plan to standard output, or all errors to standard error.
pub(super) fn run(arguments: &CheckArguments) -> Exit {
    match prepare(&arguments.plan, &arguments.overrides) {
        Ok(planned) => {
            // Short runs start what the plan starts and ask whom it asks.
            let may_probe = !arguments.no_probe && arguments.permissions.cover(&planned);
            let budget = if may_probe { PROBE_BUDGET } else { Duration::ZERO };
            let (costs, evidence) = costs(&planned, budget);
            super::output::print(&plain(&summary(&planned, &costs, evidence)));
            match Touched::by(&planned).obstacle() {
                Some(Exit::PlanInvalid) => Exit::PlanInvalid,
                _ => Exit::Done,
            }
        }
        Err(errors) => {
            super::output::complain(&errors);
            Exit::PlanInvalid
        }
    }
}

/// What a plan would run, and how long it would take.
fn summary(planned: &Planned, costs: &CostTable, evidence: Evidence) -> String {
    let mut text = String::new();
    let price = price(planned, costs);
    let _ = writeln!(text, "{}: {}", planned.identity.name, planned.document.header.question);
    let _ = writeln!(text, "{}", cells(planned));
    let _ = writeln!(text, "{}", edges(planned));
    for (index, workload) in planned.workloads.iter().enumerate() {
        describe(&mut text, planned, index as u32, workload, price.minutes[index]);
    }
    let _ = writeln!(text, "{} in all; {}", count(planned.run_count(), "run"), expected(&price, evidence));
    for line in memory_lines(planned) {
        let _ = writeln!(text, "{line}");
    }
    for line in Touched::by(planned).lines() {
        let _ = writeln!(text, "{line}");
    }
    for note in &planned.notes {
        let _ = writeln!(text, "note: {note}");
    }
    let _ = writeln!(text, "plan hash {}", crate::fingerprint::short(&planned.identity.hash));
    text
}

fn cells(planned: &Planned) -> String {
    let sizes: Vec<String> =
        planned.factors.iter().map(|factor| format!("{} {}", factor.levels.len(), factor.name)).collect();
    let grid = if sizes.is_empty() { "no grid".to_owned() } else { sizes.join(" x ") };
    let baseline = &planned.cells[planned.baseline as usize].label;
    let baseline = if baseline.is_empty() { "the only cell" } else { baseline };
    format!("{} ({grid}); baseline: {baseline}", count(planned.cells.len(), "cell"))
}

fn edges(planned: &Planned) -> String {
    let mut by_field: BTreeMap<&str, usize> = BTreeMap::new();
    for edge in planned.edges() {
        *by_field.entry(edge.field.name()).or_default() += 1;
    }
    let each: Vec<String> = by_field.iter().map(|(field, edges)| format!("{field} {edges}")).collect();
    let total = count(planned.graph.edge_count(), "edge");
    if each.is_empty() {
        format!("{total}: nothing is compared")
    } else {
        format!("{total}: {}", each.join(", "))
    }
}

fn describe(
    text: &mut String,
    planned: &Planned,
    index: u32,
    workload: &PlannedWorkload,
    minutes: Option<f64>,
) {
    let arms = workload.arms.len() - usize::from(workload.control);
    let control = if workload.control { " + control" } else { "" };
    let order =
        if workload.once { "once each".to_owned() } else { count(workload.blocks.len(), "mirrored block") };
    let minutes = minutes.map(|minutes| format!(", {}", about(minutes))).unwrap_or_default();
    let _ = writeln!(
        text,
        "workload {}: {} ({}{control}, {order}){minutes}; {} judged on {}",
        workload.workload.name,
        count(workload.run_count(), "run"),
        count(arms, "arm"),
        count(workload.edges.len(), "edge"),
        planned.primary_metrics(index).join(", "),
    );
    let collapsed = planned.collapsed_factors(index);
    if !collapsed.is_empty() {
        let _ = writeln!(text, "  cannot tell apart: {} (their cells share runs)", collapsed.join(", "));
    }
    detectable_line(text, planned, index);
    resolution_lines(text, planned, index);
}

/// D80 at assumed noise: what the number of blocks is good for.
fn detectable_line(text: &mut String, planned: &Planned, index: u32) {
    let each: Vec<String> = RUN_SDS
        .iter()
        .filter_map(|&sd| {
            let difference = detectable(planned, index, sd)?;
            Some(format!("{:.1} % at a run-to-run sd of {:.1} %", difference * 100.0, sd * 100.0))
        })
        .collect();
    if each.is_empty() {
        return;
    }
    let _ = writeln!(text, "  difference established 4 times in 5: {}", each.join(", "));
    let blocks = planned.document.schedule.blocks as usize;
    if blocks < crate::stats::MIN_BLOCKS {
        let _ = writeln!(
            text,
            "  {} {} intervals only: a verdict needs {}",
            count(blocks, "block"),
            if blocks == 1 { "gives" } else { "give" },
            crate::stats::MIN_BLOCKS
        );
    }
}

fn resolution_lines(text: &mut String, planned: &Planned, index: u32) {
    let Some(tasks) = planned.task_sets[index as usize].as_ref() else { return };
    let found: Vec<(f64, Resolution)> = SHARES
        .iter()
        .filter_map(|&share| Some((share, quality_resolution(planned, index, share)?)))
        .collect();
    let Some((_, first)) = found.first() else { return };
    let each: Vec<String> = found
        .iter()
        .map(|(share, resolution)| match resolution.unpaired {
            Some(points) => format!("{:.0} points at p = {share}", points * 100.0),
            None => format!("none at p = {share}"),
        })
        .collect();
    let _ = writeln!(
        text,
        "  smallest unpaired quality difference, n = {}: {}{}",
        tasks.count,
        each.join(", "),
        formula_remarks(&found)
    );
    match first.exact {
        Some(ExactResolution::Share(share)) => {
            let _ = writeln!(text, "  exact, paired, all changes one way: {:.0} points", share * 100.0);
        }
        Some(ExactResolution::Never) => {
            let _ = writeln!(text, "  exact, paired: never, even if every answer changed one way");
        }
        None => {}
    }
}

/// What a reader must know of the formula's values, in brackets.
fn formula_remarks(found: &[(f64, Resolution)]) -> String {
    let mut remarks = Vec::new();
    if found.iter().any(|(_, resolution)| resolution.unpaired.is_none()) {
        remarks.push("none: it would be more than 100 points");
    }
    if found.iter().any(|(_, resolution)| !resolution.formula_holds) {
        remarks.push("n is below the size where this formula holds");
    }
    if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join("; ")) }
}

fn expected(price: &Price, evidence: Evidence) -> String {
    let Some(total) = price.total else {
        return "minutes unknown until a run of each workload has been timed".to_owned();
    };
    let by = match evidence {
        Evidence::EarlierRuns => ", by earlier runs".to_owned(),
        Evidence::ShortRuns => format!(", by short runs made just now{}", busy().unwrap_or_default()),
        Evidence::Nothing => String::new(),
    };
    format!("{}{by}", about(total))
}

/// A machine that others use now may be quicker later.
fn busy() -> Option<String> {
    let machine = Machine::default();
    let cores = machine.hardware().get()?.cores;
    let load = machine.readings().load_average.filter(|&load| load > f64::from(cores))?;
    Some(format!(" on a busy machine (load average {load:.1}, {})", count(cores as usize, "core")))
}

/// A time of minutes in words; a short one in seconds.
pub(super) fn about(minutes: f64) -> String {
    let seconds = 60.0 * minutes;
    if seconds < 90.0 { format!("about {seconds:.0} s") } else { format!("about {minutes:.1} min") }
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
