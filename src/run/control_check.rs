//! The A/A difference so far: a first glance while runs are made. The report judges it properly.

use crate::record::{ArmKind, Outcome, RunRecord};

/// Decode rates of the baseline cell and of its control, the same thing run twice.
#[derive(Debug, Clone, Default)]
pub(super) struct ControlCheck {
    baseline: u32,
    cell: Vec<f64>,
    control: Vec<f64>,
}

impl ControlCheck {
    pub(super) fn new(baseline: u32) -> Self {
        Self { baseline, ..Self::default() }
    }

    pub(super) fn add(&mut self, record: &RunRecord) {
        let timed = record.outcome == Outcome::Done && record.condition.workload.timing;
        let rate = record.measurement.get("decode_tok_s").and_then(|measured| measured.value);
        let Some(rate) = rate.filter(|_| timed && record.cell == self.baseline) else { return };
        match record.arm {
            ArmKind::Cell => self.cell.push(rate),
            ArmKind::Control => self.control.push(rate),
        }
    }

    /// `A/A +0.4 %`: how much faster the control was than the baseline, by their means.
    pub(super) fn shown(&self) -> Option<String> {
        let difference = mean(&self.control)? / mean(&self.cell)? - 1.0;
        Some(format!("A/A {:+.1} %", 100.0 * difference))
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
