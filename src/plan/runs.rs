//! All runs of a plan in the order of time.

use super::collapse::{unknown_to, without};
use super::{ArmKind, Cell, Planned, PlannedRun, PlannedWorkload, Slot};
use crate::condition::Settings;

impl Planned {
    /// Every run, in the order of time: workload after workload, block after block.
    pub fn runs(&self) -> impl Iterator<Item = PlannedRun> + '_ {
        (0..self.workloads.len() as u32).flat_map(|workload| self.runs_of(workload))
    }

    /// The runs of one workload, in the order of time.
    pub fn runs_of(&self, workload: u32) -> impl Iterator<Item = PlannedRun> + '_ {
        let planned = &self.workloads[workload as usize];
        slots(planned).map(move |(slot, arm)| run(planned, workload, slot, arm))
    }

    /// How many runs there are.
    pub fn run_count(&self) -> usize {
        self.workloads.iter().map(PlannedWorkload::run_count).sum()
    }

    /// The cell that a run stands for.
    pub fn cell_of(&self, run: &PlannedRun) -> &Cell {
        &self.cells[run.cell as usize]
    }

    /// What a run asks for: its cell's settings, with those that its workload does not know left unset, so that cells
    /// that share a run do not seem to differ.
    pub fn settings_of(&self, run: &PlannedRun) -> Settings {
        without(&self.cell_of(run).settings, self.unknown(run.workload))
    }

    /// The levels of a run in words, without those that its workload does not know.
    pub fn label_of(&self, run: &PlannedRun) -> String {
        let inert = &self.inert_factors[run.workload as usize];
        let levels = &self.cell_of(run).levels;
        let mut words = Vec::new();
        for ((factor, &level), inert) in self.factors.iter().zip(levels).zip(inert) {
            if !inert {
                words.push(format!("{}={}", factor.name, factor.levels[usize::from(level)]));
            }
        }
        words.join(" ")
    }

    /// The factors whose levels a workload cannot tell apart.
    pub fn collapsed_factors(&self, workload: u32) -> Vec<&str> {
        let inert = self.factors.iter().zip(&self.inert_factors[workload as usize]);
        inert.filter(|(_, inert)| **inert).map(|(factor, _)| factor.name.as_str()).collect()
    }

    /// The primary metrics of a workload: as declared, else `decode_tok_s` and `ttft` where times are judged and `quality`
    /// where answers are scored.
    pub fn primary_metrics(&self, workload: u32) -> Vec<String> {
        let table = &self.document.workload[workload as usize];
        let declared = self.document.compare.metrics.get(&table.name).cloned();
        declared.unwrap_or_else(|| super::metrics::primary(table))
    }

    /// How many primary metrics share the plan's alpha, over all workloads.
    pub fn primary_count(&self) -> usize {
        let all: usize =
            (0..self.workloads.len() as u32).map(|index| self.primary_metrics(index).len()).sum();
        all.max(1)
    }

    fn unknown(&self, workload: u32) -> &'static [&'static str] {
        let workload = &self.workloads[workload as usize].workload;
        unknown_to(workload.tasks.is_some(), workload.quality)
    }
}

impl PlannedWorkload {
    /// How many runs it has.
    pub fn run_count(&self) -> usize {
        let passes = if self.once { 1 } else { 2 };
        self.blocks.iter().flatten().map(|sub_block| passes * sub_block.len()).sum()
    }

    /// True if this arm is the control.
    pub fn is_control(&self, arm: u32) -> bool {
        self.control && arm as usize + 1 == self.arms.len()
    }
}

/// Each place of a workload's schedule with its arm: every sub-block forward, then (unless `once`) in reverse.
fn slots(planned: &PlannedWorkload) -> impl Iterator<Item = (Slot, u32)> + '_ {
    let once = planned.once;
    planned.blocks.iter().enumerate().flat_map(move |(block, sub_blocks)| {
        sub_blocks.iter().enumerate().flat_map(move |(sub_block, arms)| {
            let back = arms.iter().rev().take(if once { 0 } else { arms.len() });
            let length = (arms.len() + back.len()) as u32;
            arms.iter().chain(back).enumerate().map(move |(position, &arm)| {
                let (block, sub_block, position) = (block as u32, sub_block as u32, position as u32);
                (Slot { block, sub_block, position, length }, arm)
            })
        })
    })
}

fn run(planned: &PlannedWorkload, workload: u32, slot: Slot, arm: u32) -> PlannedRun {
    let name = &planned.workload.name;
    let cell = planned.arms[arm as usize];
    let control = planned.is_control(arm);
    let id = match (planned.once, control) {
        (true, true) => format!("{name}-control"),
        (true, false) => format!("{name}-c{cell:04}"),
        (false, _) => format!("{name}-b{:02}-s{}-p{:03}", slot.block, slot.sub_block, slot.position),
    };
    PlannedRun { id, workload, arm, cell, kind: if control { ArmKind::Control } else { ArmKind::Cell }, slot }
}
