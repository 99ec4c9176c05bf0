//! The metrics that a plan can name, and what a workload must do for them to exist.

use super::document::WorkloadTable;

/// What a metric needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    /// A workload that judges times.
    Timing,
    /// A workload that scores answers.
    Quality,
    /// A task file.
    Tasks,
}

/// Names as in records and reports: those of the catalogue in `measure`, which is a room on the same floor and cannot be
/// asked; a test keeps the two lists equal. `reply_agreement` is a figure of a pair and cannot be primary.
pub(super) const METRICS: &[(&str, Needs)] = &[
    ("ttft", Needs::Timing),
    ("ttfo", Needs::Timing),
    ("itl", Needs::Timing),
    ("icl", Needs::Timing),
    ("decode_tok_s", Needs::Timing),
    ("engine_decode_tok_s", Needs::Timing),
    ("prefill_tok_s", Needs::Timing),
    ("full_reply_s", Needs::Timing),
    ("chars_per_s", Needs::Timing),
    ("peak_rss", Needs::Timing),
    ("accelerator_peak", Needs::Timing),
    ("predicted_memory", Needs::Timing),
    ("load_peak_rss", Needs::Timing),
    ("load_s", Needs::Timing),
    ("reply_tokens", Needs::Tasks),
    ("capped_share", Needs::Tasks),
    ("unanswered_share", Needs::Tasks),
    ("failed_share", Needs::Tasks),
    ("accepted_share", Needs::Tasks),
    ("quality", Needs::Quality),
];

/// The metrics that can be primary.
pub fn metric_names() -> Vec<&'static str> {
    METRICS.iter().map(|(name, _)| *name).collect()
}

/// Why a workload cannot have a metric, and what to do; `None` where it can.
pub(super) fn lacks(needs: Needs, workload: &WorkloadTable) -> Option<(&'static str, &'static str)> {
    match needs {
        Needs::Timing if !workload.timed() => {
            Some(("judges no times", "set `timing = true` in the workload"))
        }
        Needs::Quality if !workload.quality => {
            Some(("scores no answers", "set `quality = true` in the workload"))
        }
        Needs::Tasks if workload.tasks.is_none() => Some(("has no task file", "give the workload `tasks`")),
        _ => None,
    }
}

/// The primary metrics of a workload that declares none.
pub(super) fn primary(workload: &WorkloadTable) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    if workload.timed() {
        names.extend(["decode_tok_s", "ttft"]);
    }
    if workload.quality {
        names.push("quality");
    }
    names.into_iter().map(str::to_owned).collect()
}
