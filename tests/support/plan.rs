//! Small plans worked out from text, and records for their runs.

use super::record;
use planrun::plan::{Planned, PlannedRun, prepare_text};
use planrun::record::{FailureKind, Outcome, RunRecord};
use std::fmt::Write as _;
use std::fs;

const PLAN: &str = "[plan]\nname = \"demo\"\nquestion = \"Is it so?\"\nseed = 7\n";
const SETTINGS: &str = "model = \"pico\"\nengine = \"scripted\"\nquantization = \"f32\"\nthreads = 1\nthinking = false\n\
                        temperature = 0\nmax_tokens = 64\nwarmup = 1\nscorer = \"exact\"\n";

/// Works out a plan of the scripted engine; `tasks.jsonl` beside it has as many tasks as asked for.
/// Settings that the sections name themselves are left to them.
pub(crate) fn planned(sections: &str, tasks: usize) -> Planned {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut lines = String::new();
    for n in 0..tasks {
        writeln!(lines, r#"{{"id": "t{n}", "prompt": "What is {n} + {n}?", "expected": "{}"}}"#, 2 * n)
            .expect("a string takes it");
    }
    fs::write(folder.path().join("tasks.jsonl"), lines).expect("written");
    let declared = |line: &&str| !sections.lines().any(|other| same_key(line, other));
    let settings = SETTINGS.lines().filter(declared).fold(String::new(), |text, line| text + line + "\n");
    let text = format!("{PLAN}\n[settings]\n{settings}\n{sections}");
    prepare_text(&folder.path().join("demo.toml"), &text, &[], &planrun::engine::model_facts)
        .expect("a sound plan")
}

fn same_key(line: &str, other: &str) -> bool {
    let key = |line: &str| line.split_once(" = ").map(|(key, _)| key.to_owned());
    key(line).is_some() && key(line) == key(other)
}

/// A record for every run of a plan, each changed by `change`.
pub(crate) fn records(
    planned: &Planned,
    mut change: impl FnMut(&PlannedRun, &mut RunRecord),
) -> Vec<RunRecord> {
    planned
        .runs()
        .map(|run| {
            let mut record = finished(planned, &run);
            change(&run, &mut record);
            record
        })
        .collect()
}

fn finished(planned: &Planned, run: &PlannedRun) -> RunRecord {
    let workload = &planned.workloads[run.workload as usize].workload;
    let tasks = planned.task_sets[run.workload as usize].as_ref().map_or(1, |tasks| tasks.count as usize);
    let mut record = record::record(tasks);
    record.condition.asked = planned.settings_of(run);
    record.condition.workload = workload.clone();
    record.condition.found = record::observed(&record.condition.asked);
    let thinks = record.condition.asked.thinking.or(false);
    record::ask(&mut record, tasks, if thinks { "" } else { "<think></think>" });
    record.id.clone_from(&run.id);
    record.plan = planned.identity.clone();
    record.cell = run.cell;
    record.label = planned.label_of(run);
    record.workload.clone_from(&workload.name);
    record.arm = run.kind;
    record.slot = run.slot;
    record
}

/// Turns a record into that of a failed run.
pub(crate) fn fail(record: &mut RunRecord) {
    record.outcome = Outcome::Failed { kind: FailureKind::Crashed, error: "killed".into() };
    record.measurement.clear();
    record.items.clear();
}

/// Deterministic noise, about normal with standard deviation 1: a sum of twelve uniform numbers.
pub(crate) fn noise(seed: u64) -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678);
    let mut uniform = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..12).map(|_| uniform()).sum::<f64>() - 6.0
}
