//! The price of a plan before it runs: minutes, and the smallest difference that it could show.

use super::{Planned, PlannedWorkload};
use crate::stats::{NoiseLevel, Resolution, resolution};
use std::collections::BTreeMap;

/// Seconds that one run takes, by workload and cell. Filled from earlier records or by a short probe.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CostTable {
    seconds: BTreeMap<(u32, u32), f64>,
}

impl CostTable {
    /// Notes the seconds of one run of a cell in a workload (indices as in [`Planned`]), process start and load included.
    /// What is not a positive finite number is left out.
    pub fn set(&mut self, workload: u32, cell: u32, seconds: f64) {
        if seconds.is_finite() && seconds > 0.0 {
            self.seconds.insert((workload, cell), seconds);
        }
    }

    /// Seconds of one run of a cell; a cell that is not known costs what the known ones of its workload cost on average.
    pub fn seconds(&self, workload: u32, cell: u32) -> Option<f64> {
        self.seconds.get(&(workload, cell)).copied().or_else(|| self.mean(workload))
    }

    fn mean(&self, workload: u32) -> Option<f64> {
        let known: Vec<f64> =
            self.seconds.range((workload, 0)..=(workload, u32::MAX)).map(|(_, &s)| s).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    }
}

/// What a plan is expected to take.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// Minutes of each workload, cooldown included; `None` where nothing is known.
    pub minutes: Vec<Option<f64>>,
    /// Minutes in all, with the discarded run that opens a session, where every workload is known.
    pub total: Option<f64>,
}

/// Prices a plan by a table of costs.
pub fn price(planned: &Planned, costs: &CostTable) -> Price {
    let cooldown = planned.document.schedule.cooldown_s;
    let workloads = planned.workloads.iter().enumerate();
    let minutes: Vec<Option<f64>> =
        workloads.map(|(index, workload)| minutes(workload, index as u32, costs, cooldown)).collect();
    let sum: Option<f64> = minutes.iter().copied().sum();
    let burn_in = planned.runs().next().and_then(|first| costs.seconds(first.workload, first.cell));
    Price { total: sum.map(|sum| sum + burn_in.unwrap_or(0.0) / 60.0), minutes }
}

fn minutes(workload: &PlannedWorkload, index: u32, costs: &CostTable, cooldown: f64) -> Option<f64> {
    let runs_per_arm = if workload.once { 1 } else { 2 * workload.blocks.len() };
    let seconds: Option<f64> = workload.arms.iter().map(|&cell| costs.seconds(index, cell)).sum();
    let pauses = cooldown * workload.run_count() as f64;
    Some((seconds? * runs_per_arm as f64 + pauses) / 60.0)
}

/// The relative difference that a timed workload establishes four times in five (D80, method line 2), if single runs have
/// this relative robust standard deviation; `None` for a workload that is not timed or compares nothing.
pub fn detectable(planned: &Planned, workload: u32, run_sd: f64) -> Option<f64> {
    let timed =
        planned.workloads.get(workload as usize).filter(|timed| !timed.once && !timed.edges.is_empty())?;
    let noise = NoiseLevel::assumed(run_sd, timed.arms.len(), timed.blocks.len());
    let alpha = planned.document.compare.alpha / planned.primary_count() as f64;
    let log = noise.detectable(timed.blocks.len(), timed.edges.len(), alpha);
    Some(log.exp_m1())
}

/// The smallest quality difference that a workload's task set can show where about `share` of the answers are right
/// (method, line 19); `None` where nothing is scored.
pub fn quality_resolution(planned: &Planned, workload: u32, share: f64) -> Option<Resolution> {
    let scored = planned.workloads.get(workload as usize).filter(|scored| scored.workload.quality)?;
    let tasks = planned.task_sets[workload as usize].as_ref()?;
    let alpha = planned.document.compare.alpha / planned.primary_count() as f64;
    Some(resolution(share, tasks.count, scored.edges.len(), alpha))
}
