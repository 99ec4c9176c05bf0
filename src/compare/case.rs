//! What was planned, as far as judging needs it, and the terms that were declared before the runs.

use crate::condition::Field;
use crate::plan::Planned;
use std::collections::BTreeMap;

/// A plan laid out for judging.
pub(super) struct Case<'a> {
    pub(super) planned: &'a Planned,
    /// Family error, shared by all primary metrics.
    pub(super) alpha: f64,
    /// Primary metrics of each workload, by its name.
    primaries: BTreeMap<String, Vec<String>>,
    /// Seed of permutation tests and bootstraps.
    pub(super) seed: u64,
}

impl<'a> Case<'a> {
    pub(super) fn of(planned: &'a Planned) -> Self {
        let named = |(at, workload): (usize, &crate::plan::PlannedWorkload)| {
            (workload.workload.name.clone(), planned.primary_metrics(at as u32))
        };
        let hash = planned.identity.hash.get(..16);
        Self {
            planned,
            alpha: planned.document.compare.alpha,
            primaries: planned.workloads.iter().enumerate().map(named).collect(),
            seed: hash.and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or(0),
        }
    }

    /// Number of primary metrics over all workloads; at least 1.
    pub(super) fn primary_count(&self) -> usize {
        self.primaries.values().map(Vec::len).sum::<usize>().max(1)
    }

    /// The error that one primary metric may spend.
    pub(super) fn alpha_of_one(&self) -> f64 {
        self.alpha / self.primary_count() as f64
    }

    /// Place of a metric among the workload's primary ones.
    pub(super) fn primary_rank(&self, workload: &str, metric: &str) -> Option<usize> {
        self.primaries.get(workload)?.iter().position(|name| name == metric)
    }

    /// The declared primary metrics of a workload.
    pub(super) fn primaries_of(&self, workload: &str) -> &[String] {
        self.primaries.get(workload).map_or(&[], Vec::as_slice)
    }

    /// The declared margin of a metric, as a fraction.
    pub(super) fn margin(&self, metric: &str) -> Option<f64> {
        self.planned.document.compare.margins.get(metric).copied()
    }

    /// Unknown fields to take as equal.
    pub(super) fn assume(&self) -> &[Field] {
        &self.planned.document.compare.assume
    }

    pub(super) fn baseline(&self) -> u32 {
        self.planned.baseline
    }

    /// A cell's label; its index where it has none.
    pub(super) fn label(&self, cell: u32) -> String {
        match self.planned.cells.get(cell as usize) {
            Some(cell) if !cell.label.is_empty() => cell.label.clone(),
            _ => format!("cell {cell}"),
        }
    }

    /// The one factor in which two cells differ, with the indices of both levels.
    pub(super) fn step(&self, before: u32, after: u32) -> Option<(usize, u16, u16)> {
        let (from, to) = (self.levels(before), self.levels(after));
        let factors = 0..self.planned.factors.len();
        let mut differing = factors.filter(|&factor| from.get(factor) != to.get(factor));
        let factor = differing.next()?;
        if differing.next().is_some() {
            return None;
        }
        Some((factor, *from.get(factor)?, *to.get(factor)?))
    }

    /// The level of a cell in a factor.
    pub(super) fn level_of(&self, cell: u32, factor: usize) -> Option<u16> {
        self.levels(cell).get(factor).copied()
    }

    fn levels(&self, cell: u32) -> &[u16] {
        self.planned.cells.get(cell as usize).map_or(&[], |cell| &cell.levels)
    }

    /// Name of a factor.
    pub(super) fn factor(&self, factor: usize) -> String {
        self.planned.factors.get(factor).map_or_else(String::new, |factor| factor.name.clone())
    }

    /// A level in words.
    pub(super) fn level(&self, factor: usize, level: u16) -> String {
        let known = self.planned.factors.get(factor);
        let words = known.and_then(|factor| factor.levels.get(usize::from(level)));
        words.cloned().unwrap_or_else(|| level.to_string())
    }

    /// `thinking=true max_tokens=64`: the levels of a cell in all factors but these.
    pub(super) fn context(&self, cell: u32, without: &[usize]) -> String {
        let levels = self.levels(cell).iter().enumerate();
        let told = levels.filter(|(factor, _)| !without.contains(factor));
        let parts: Vec<String> =
            told.map(|(at, &level)| format!("{}={}", self.factor(at), self.level(at, level))).collect();
        parts.join(" ")
    }
}
