//! What a run costs: from earlier records of the plan, else from short runs made for the purpose.

use super::binary::Binary;
use super::child::ChildEnd;
use super::circumstances::first_day;
use super::lock::DeviceLock;
use super::models::pins;
use super::request::RunRequest;
use super::requests::Requests;
use super::server::{Servers, end_leftovers};
use super::session::{SessionEnd, present_state};
use crate::plan::{CostTable, Planned, PlannedRun};
use crate::record::{Context, Outcome, RunRecord, load_run};
use crate::workload::PRIMER;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Tasks of a task file that a probe asks.
const SAMPLE: usize = 3;

/// What the costs of runs were read off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Records of the plan.
    EarlierRuns,
    /// Short runs made for the purpose, on the machine as busy as it is.
    ShortRuns,
    /// Nothing: no time for short runs, no model here, or somebody else is measuring.
    Nothing,
}

/// Seconds of a run by workload and cell: from the newest records of the plan, else from probes that together take about
/// `budget`.
pub fn costs(planned: &Planned, budget: Duration) -> (CostTable, Evidence) {
    match present_state(planned) {
        Ok(Some(state)) if !state.records.is_empty() => {
            (costs_of_records(planned, &state.records), Evidence::EarlierRuns)
        }
        _ if budget.is_zero() => (CostTable::default(), Evidence::Nothing),
        _ => match probe(planned, budget) {
            Some(costs) => (costs, Evidence::ShortRuns),
            None => (CostTable::default(), Evidence::Nothing),
        },
    }
}

/// Seconds of a run by workload and cell: the mean over the records that were measured.
pub fn costs_of_records(planned: &Planned, records: &[RunRecord]) -> CostTable {
    let workload_of = |record: &RunRecord| {
        planned.workloads.iter().position(|workload| workload.workload.name == record.workload)
    };
    let mut sums: BTreeMap<(u32, u32), (f64, u32)> = BTreeMap::new();
    for record in records.iter().filter(|record| record.outcome == Outcome::Done) {
        let Some(workload) = workload_of(record) else { continue };
        let sum = sums.entry((workload as u32, record.cell)).or_default();
        sum.0 += record.context.wall_s;
        sum.1 += 1;
    }
    let mut costs = CostTable::default();
    for ((workload, cell), (seconds, count)) in sums {
        costs.set(workload, cell, seconds / f64::from(count));
    }
    costs
}

/// Seconds that the missing runs will take; `None` where nothing is missing or a workload's cost is not known.
pub fn seconds_left(planned: &Planned, state: &SessionEnd, costs: &CostTable) -> Option<f64> {
    let present: BTreeSet<&str> = state.records.iter().map(|record| record.id.as_str()).collect();
    let missing = planned.runs().filter(|run| !present.contains(run.id.as_str()));
    let rest = planned.document.schedule.cooldown_s;
    let seconds = |run: PlannedRun| Some(costs.seconds(run.workload, run.cell)? + rest);
    let total: f64 = missing.map(seconds).sum::<Option<f64>>()?;
    (total > 0.0).then_some(total)
}

/// Makes one short run for each cell of each workload, until the time is up; a workload gets its share of it.
fn probe(planned: &Planned, budget: Duration) -> Option<CostTable> {
    let _lock = DeviceLock::take("the price of a plan").ok()?;
    end_leftovers(&mut |_| {});
    let binary = Binary::own().ok()?;
    let folder = std::env::temp_dir().join(format!("planrun-price-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let requests = Requests {
        planned,
        runs: folder.clone(),
        renders: folder.clone(),
        pins: pins(planned),
        day: first_day(&[]),
        context: Context::default(),
        binary: &binary,
        retries: &BTreeMap::new(),
    };
    let mut servers = Servers::new(&folder);
    let mut costs = CostTable::default();
    let share = budget / planned.workloads.len().max(1) as u32;
    for workload in 0..planned.workloads.len() as u32 {
        probe_workload(&requests, &mut servers, workload, share, &mut costs);
    }
    // Among the temporary files: whoever empties those finishes what fails here.
    let _ = std::fs::remove_dir_all(&folder);
    Some(costs)
}

fn probe_workload(
    requests: &Requests,
    servers: &mut Servers,
    workload: u32,
    share: Duration,
    costs: &mut CostTable,
) {
    let start = Instant::now();
    let mut known = BTreeSet::new();
    for run in requests.planned.runs_of(workload).filter(|run| known.insert(run.cell)) {
        if start.elapsed() >= share {
            break;
        }
        let request = RunRequest { sample: Some(SAMPLE), ..requests.request(&run) };
        // Not only what is left of the share: cells that are slow would be lost, and the rest would look like the whole.
        let Some((record, seconds)) = made(&request, servers, share) else { continue };
        let tasks = requests.planned.task_sets[workload as usize].as_ref();
        costs.set(workload, run.cell, whole_run(&record, seconds, tasks.map(|tasks| tasks.count)));
    }
}

/// The record of a probe that succeeded in time, and its seconds as the session would see them: the start of the process
/// and the keeping of the record cost a tenth of a very short run.
fn made(request: &RunRequest, servers: &mut Servers, limit: Duration) -> Option<(RunRecord, f64)> {
    let start = Instant::now();
    let end = servers.run(request, limit, &AtomicBool::new(false), &mut |_| {}).ok()?;
    let record = (end == ChildEnd::Recorded).then(|| load_run(Path::new(&request.output)).ok())??;
    (record.outcome == Outcome::Done).then(|| (record, start.elapsed().as_secs_f64()))
}

/// Seconds of the whole run, by those of a sample of its tasks.
fn whole_run(record: &RunRecord, seconds: f64, tasks: Option<u64>) -> f64 {
    let primers = record.warmup.iter().filter(|item| item.id.starts_with(PRIMER));
    let asked: f64 = record.items.iter().chain(primers).filter_map(|item| item.full_s.or(item.read_s)).sum();
    let passes = f64::from(record.condition.workload.passes.max(1));
    let sampled = record.items.len() as f64 / passes;
    let times = tasks.map_or(1.0, |tasks| tasks as f64 / sampled.max(1.0));
    seconds + asked * (times - 1.0).max(0.0)
}
