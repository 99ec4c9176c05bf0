//! What the plan says about itself: the part of a report that no record carries.

use crate::condition::{Isolation, Mode, Workload};
use crate::fingerprint;
use crate::plan::Planned;
use crate::record::{Extension, Outcome, RunRecord};
use crate::report::words::counted;
use serde::Serialize;
use std::collections::BTreeSet;

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
    /// The plan file, seen from the folder of the report's folder; `None` where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Options with which the user lets the plan do what it does beyond this program (`--allow-exec`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leave: Vec<String>,
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
    /// What is asked, in short (`sums.jsonl, 200 tasks`).
    pub material: String,
    /// Arms, the control included.
    pub arms: u32,
    /// Planned blocks.
    pub blocks: u32,
    /// The A/A control is among the arms.
    pub control: bool,
    /// Every arm runs once.
    pub once: bool,
}

impl Frame {
    /// The frame of a plan. `records` tell what runs really shared; `schedule` is the text of `schedule.json`; `extended` tells
    /// when blocks were added.
    pub fn of(
        planned: &Planned,
        records: &[RunRecord],
        schedule: Option<&str>,
        extended: &[Extension],
    ) -> Self {
        let header = &planned.document.header;
        Self {
            name: header.name.clone(),
            title: header.title.clone().unwrap_or_else(|| header.name.clone()),
            question: header.question.clone(),
            notes: planned.document.report.notes.clone(),
            file: None,
            leave: Vec::new(),
            schedule_hash: schedule.map(|text| fingerprint::of_bytes(text.as_bytes())),
            seed: header.seed,
            overrides: planned.overrides.clone(),
            extended: extended.iter().map(extension_words).collect(),
            workloads: (0..planned.workloads.len())
                .map(|index| frame_workload(planned, index, records))
                .collect(),
        }
    }
}

fn extension_words(extension: &Extension) -> String {
    let Extension { after_runs, from_blocks, to_blocks } = extension;
    format!("from {from_blocks} to {to_blocks} blocks after {} had been made", counted(*after_runs, "run"))
}

fn frame_workload(planned: &Planned, index: usize, records: &[RunRecord]) -> FrameWorkload {
    let of = &planned.workloads[index];
    let tasks = planned.task_sets.get(index).and_then(Option::as_ref).map(|tasks| tasks.count);
    FrameWorkload {
        name: of.workload.name.clone(),
        protocol: format!("{}, {}", protocol(&of.workload, tasks), shared(&of.workload, records)),
        material: material(&of.workload, tasks),
        arms: of.arms.len() as u32,
        blocks: of.blocks.len() as u32,
        control: of.control,
        once: of.once,
    }
}

fn material(workload: &Workload, tasks: Option<u64>) -> String {
    match (&workload.tasks, tasks, workload.prompt_tokens, workload.gen_tokens) {
        (Some(file), count, ..) => {
            let name = file.rsplit('/').next().unwrap_or(file);
            count.map_or_else(|| name.into(), |count| format!("{name}, {}", counted(count as usize, "task")))
        }
        (None, _, Some(prompt), Some(reply)) => {
            format!("one synthetic prompt, {prompt} + {reply} tokens")
        }
        _ => "a synthetic prompt".into(),
    }
}

fn protocol(workload: &Workload, tasks: Option<u64>) -> String {
    let what = match (&workload.tasks, tasks, workload.prompt_tokens, workload.gen_tokens) {
        (Some(file), Some(count), ..) => format!("{} of {file}", counted(count as usize, "task")),
        (Some(file), None, ..) => format!("the tasks of {file}"),
        (None, _, Some(prompt), Some(reply)) => {
            format!("one synthetic prompt of {prompt} tokens and {reply} generated tokens")
        }
        _ => "synthetic prompts".into(),
    };
    let how = match workload.mode {
        Mode::Single => "one request at a time",
    };
    let passes =
        if workload.passes == 1 { String::new() } else { format!(", {} passes a run", workload.passes) };
    format!("{what}, {how}{passes}")
}

/// What runs shared, by the records: a server at a `url` was there already, whatever the plan's schedule says.
fn shared(workload: &Workload, records: &[RunRecord]) -> String {
    let measured =
        records.iter().filter(|record| record.outcome == Outcome::Done && record.workload == workload.name);
    let found: BTreeSet<Isolation> = measured
        .map(|record| record.condition.found.isolation.or(record.condition.workload.isolation))
        .collect();
    match found.into_iter().map(isolation_words).collect::<Vec<_>>().as_slice() {
        [] => isolation_words(workload.isolation).to_owned(),
        [one] => (*one).to_owned(),
        several => format!("partly {}", several.join(", partly ")),
    }
}

fn isolation_words(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::Run => "a process of its own for each run",
        Isolation::Block => "a server shared by a block",
        Isolation::Attached => "a server that ran already",
    }
}
