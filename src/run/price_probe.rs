//! What a run costs: from earlier records of the plan.

use super::session::SessionEnd;
use crate::plan::{CostTable, Planned, PlannedRun};
use crate::record::{Outcome, RunRecord};
use std::collections::{BTreeMap, BTreeSet};

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
