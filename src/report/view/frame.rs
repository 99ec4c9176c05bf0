//! What the plan says about itself: the part of a report that no record carries.

use serde::Serialize;

/// The plan around the results.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Frame {
    /// Short name.
    pub name: String,
    /// Title.
    pub title: String,
    /// The one thing that the plan is to answer.
    pub question: String,
    /// What the plan's author wants told among the limits.
    pub notes: Vec<String>,
    /// Path of the plan as typed in commands (`plans/x.toml`).
    pub plan_file: String,
    /// SHA-256 of the schedule; `None` where it is not known.
    pub schedule_hash: Option<String>,
    /// Seed of the order.
    pub seed: u64,
    /// Settings overridden on the command line (`settings.max_tokens=64`).
    pub overrides: Vec<String>,
    /// Times that the plan grew after a first result (`from 6 to 8 blocks`).
    pub extended: Vec<String>,
    /// The workloads in the plan's order.
    pub workloads: Vec<FrameWorkload>,
}

/// One workload as planned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FrameWorkload {
    /// Its name.
    pub name: String,
    /// The protocol in words (`200 tasks of tasks/sums.jsonl, one request at a time`).
    pub protocol: String,
    /// Arms, the control included.
    pub arms: u32,
    /// Planned blocks.
    pub blocks: u32,
    /// The A/A control is among the arms.
    pub control: bool,
    /// Every arm runs once.
    pub once: bool,
}
