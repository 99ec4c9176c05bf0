//! Learning rates over the course of a training.

/// Learning rates of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rates {
    /// For the hidden matrices.
    pub(super) muon: f64,
    /// For embedding and norms.
    pub(super) adamw: f64,
}

/// Warm-up over the first steps, then constant, then linear to 0 at the end of the token budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Schedule {
    /// Highest rates.
    pub(super) peak: Rates,
    /// Steps of the linear warm-up.
    pub(super) warm_up_steps: usize,
    /// Token at which the decay begins.
    pub(super) decay_from: u64,
    /// Token budget.
    pub(super) budget: u64,
}

impl Schedule {
    /// Share of the peak rates at `step` (from 1) after `tokens` tokens, between 0 and 1.
    pub(super) fn factor(&self, step: usize, tokens: u64) -> f64 {
        let warm_up = step as f64 / self.warm_up_steps.max(1) as f64;
        let left = self.budget.saturating_sub(tokens) as f64;
        let decay = left / self.budget.saturating_sub(self.decay_from).max(1) as f64;
        warm_up.min(decay).min(1.0)
    }

    /// The learning rates at `step` after `tokens` tokens.
    pub(super) fn rates(&self, step: usize, tokens: u64) -> Rates {
        let factor = self.factor(step, tokens);
        Rates { muon: self.peak.muon * factor, adamw: self.peak.adamw * factor }
    }
}
