//! The records of one workload, sorted by arm and place, and what is missing of them.

use super::analysis::MissingRun;
use super::case::Case;
use crate::plan::{PlannedRun, PlannedWorkload};
use crate::record::{Outcome, RunRecord};
use crate::stats::{Layout, SubBlockShape};
use std::collections::BTreeMap;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

/// A pause inside a sub-block that is longer than this tears its two passes apart.
const GAP: Duration = Duration::minutes(10);

/// The records of one workload.
pub(super) struct Arms<'a> {
    /// What was planned.
    pub(super) planned: &'a PlannedWorkload,
    /// Finished runs in the order of time.
    pub(super) done: Vec<DoneRun<'a>>,
    /// Runs without a result, with their arm.
    pub(super) missing: Vec<(usize, MissingRun)>,
    /// The blocks that have begun.
    pub(super) layout: Layout,
    /// Sub-blocks whose passes were torn apart.
    pub(super) gaps: u32,
    /// Labels of the arms.
    pub(super) names: Vec<String>,
    /// Indices of the factors that do not act on this workload.
    pub(super) inert: Vec<usize>,
}

/// A finished run in its place.
#[derive(Clone, Copy)]
pub(super) struct DoneRun<'a> {
    pub(super) arm: usize,
    /// Index in the layout's sub-blocks.
    pub(super) sub_block: usize,
    pub(super) position: usize,
    pub(super) record: &'a RunRecord,
}

/// A run of the schedule with its record, where there is one.
type Placed<'a> = (PlannedRun, Option<&'a RunRecord>);

impl<'a> Arms<'a> {
    /// Sorts the records of the workload with this index; records of other plans' runs are not looked at.
    pub(super) fn of(
        case: &Case<'a>,
        workload: usize,
        records: &BTreeMap<&str, &'a RunRecord>,
    ) -> Option<Self> {
        let planned = case.planned.workloads.get(workload)?;
        let inert = case.planned.inert_factors.get(workload)?.iter().enumerate();
        let runs: Vec<Placed<'a>> = case
            .planned
            .runs_of(workload as u32)
            .map(|run| {
                let record = records.get(run.id.as_str()).copied();
                (run, record)
            })
            .collect();
        let mut arms = Self {
            planned,
            done: Vec::new(),
            missing: Vec::new(),
            layout: Layout { arms: planned.arms.len(), blocks: 0, sub_blocks: Vec::new() },
            gaps: 0,
            names: planned.arms.iter().map(|&cell| case.label(cell)).collect(),
            inert: inert.filter(|(_, inert)| **inert).map(|(factor, _)| factor).collect(),
        };
        let indices = arms.lay_out(&runs);
        for (run, record) in &runs {
            let index = indices.get(&(run.slot.block, run.slot.sub_block)).copied();
            arms.sort_in(case, run, *record, index.unwrap_or(0));
        }
        Some(arms)
    }

    /// Lays out the blocks that have begun; gives the index of each of their sub-blocks.
    fn lay_out(&mut self, runs: &[Placed<'a>]) -> BTreeMap<(u32, u32), usize> {
        let mut indices = BTreeMap::new();
        let passes = if self.planned.once { 1 } else { 2 };
        for block in runs.chunk_by(|(one, _), (next, _)| one.slot.block == next.slot.block) {
            if block.iter().all(|(_, record)| record.is_none()) {
                continue;
            }
            for sub_block in block.chunk_by(|(one, _), (next, _)| one.slot.sub_block == next.slot.sub_block) {
                let slot = sub_block[0].0.slot;
                let gap = passes == 2 && is_torn(sub_block.iter().filter_map(|(_, record)| *record));
                self.gaps += u32::from(gap);
                indices.insert((slot.block, slot.sub_block), self.layout.sub_blocks.len());
                let shape = SubBlockShape { block: self.layout.blocks, arms: sub_block.len() / passes, gap };
                self.layout.sub_blocks.push(shape);
            }
            self.layout.blocks += 1;
        }
        indices
    }

    fn sort_in(
        &mut self,
        case: &Case<'_>,
        run: &PlannedRun,
        record: Option<&'a RunRecord>,
        sub_block: usize,
    ) {
        let (arm, position) = (run.arm as usize, run.slot.position as usize);
        match record {
            Some(record) if record.outcome == Outcome::Done => {
                self.done.push(DoneRun { arm, sub_block, position, record });
            }
            record => self.missing.push((arm, missing_run(case, self.planned, run, record))),
        }
    }

    /// The control's arm.
    pub(super) fn control(&self) -> Option<usize> {
        self.planned.control.then(|| self.planned.arms.len().saturating_sub(1))
    }

    /// The arm that stands for a cell.
    pub(super) fn arm(&self, cell: u32) -> Option<usize> {
        self.planned.arm_of_cell.get(cell as usize).map(|&arm| arm as usize)
    }

    /// Finished runs of an arm.
    pub(super) fn runs_of(&self, arm: usize) -> impl Iterator<Item = &'a RunRecord> + '_ {
        self.done.iter().filter(move |run| run.arm == arm).map(|run| run.record)
    }

    /// Names of an arm's missing runs.
    pub(super) fn missing_of(&self, arm: usize) -> Vec<String> {
        self.missing.iter().filter(|(of, _)| *of == arm).map(|(_, run)| run.name.clone()).collect()
    }

    /// Runs of an arm that the blocks begun so far lack.
    pub(super) fn lacking(&self, arm: usize) -> usize {
        let per_block = if self.planned.once { 1 } else { 2 };
        (per_block * self.layout.blocks).saturating_sub(self.runs_of(arm).count())
    }

    /// About how many minutes a block takes, from the finished runs' own wall-clock times.
    pub(super) fn minutes_per_block(&self) -> Option<f64> {
        let walls: Vec<f64> = self.done.iter().map(|run| run.record.context.wall_s).collect();
        let runs_per_block = 2 * self.planned.arms.len();
        crate::stats::mean(&walls).map(|seconds| seconds * runs_per_block as f64 / 60.0)
    }
}

fn missing_run(
    case: &Case<'_>,
    planned: &PlannedWorkload,
    run: &PlannedRun,
    record: Option<&RunRecord>,
) -> MissingRun {
    let (kind, error) = match record.map(|record| &record.outcome) {
        Some(Outcome::Failed { kind, error }) => (Some(*kind), error.clone()),
        _ => (None, String::new()),
    };
    let control = if planned.is_control(run.arm) { ", control" } else { "" };
    MissingRun {
        name: run.id.clone(),
        label: format!("{}{control}", case.label(run.cell)),
        workload: planned.workload.name.clone(),
        cell: run.cell,
        kind,
        error,
    }
}

/// Whether the runs of a sub-block (in their order) were torn apart: another boot, or a long pause.
fn is_torn<'r>(runs: impl Iterator<Item = &'r RunRecord>) -> bool {
    let contexts: Vec<_> = runs.map(|record| &record.context).collect();
    contexts.windows(2).any(|pair| {
        let rebooted = pair[0].boot.is_some() && pair[1].boot.is_some() && pair[0].boot != pair[1].boot;
        let wall = Duration::seconds_f64(pair[0].wall_s.clamp(0.0, 1e9));
        let ended = start(&pair[0].started).and_then(|at| at.checked_add(wall));
        let paused = ended.zip(start(&pair[1].started)).is_some_and(|(end, next)| next - end > GAP);
        rebooted || paused
    })
}

fn start(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok()
}
