//! Where numbers come from, in a line that survives being copied out: model, task set or prompt, machine, plan.

use super::Frame;
use super::conditions;
use crate::compare::{Analysis, WorkloadAnalysis};
use crate::condition::Field;
use crate::fingerprint;
use crate::report::names;
use crate::report::number::NBSP;

/// `Measured on 220 tasks of tasks/pico-mixed.jsonl, one request at a time; pico, candle, 1 thread`.
pub(super) fn scope(frame: &Frame, analysis: &Analysis, workload: &WorkloadAnalysis) -> String {
    let planned = frame.workloads.iter().find(|planned| planned.name == workload.name);
    let protocol = planned.map_or_else(|| workload.name.clone(), |planned| planned.protocol.clone());
    let engine = [Field::Model, Field::Engine].map(|field| conditions::common(analysis, field));
    let threads = conditions::common(analysis, Field::Threads).map(|threads| match threads.as_str() {
        "1" => format!("1{NBSP}thread"),
        more => format!("{more}{NBSP}threads"),
    });
    let with: Vec<String> = engine.into_iter().chain([threads]).flatten().collect();
    if with.is_empty() {
        return format!("Measured on {protocol}");
    }
    format!("Measured on {protocol}; {}", with.join(", "))
}

/// `plan 5ef2c1fb9d96 · pico · pico-mixed.jsonl, 220 tasks · AMD EPYC, 2 cores`: what may be cut off stands last.
pub(super) fn origin(frame: &Frame, analysis: &Analysis, workload: &WorkloadAnalysis) -> String {
    let planned = frame.workloads.iter().find(|planned| planned.name == workload.name);
    let machine =
        conditions::raw_common(analysis, Field::Hardware).map(|hardware| names::machine_in_short(&hardware));
    let parts = [
        Some(format!("plan{NBSP}{}", fingerprint::short(&analysis.plan.hash))),
        conditions::common(analysis, Field::Model),
        planned.map(|planned| planned.material.clone()),
        machine,
    ];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" \u{b7} ")
}
