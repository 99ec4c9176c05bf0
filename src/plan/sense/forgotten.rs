//! What people forget, and what then differs from machine to machine without anybody having chosen it.

use super::scoring::only_reads_likelihoods;
use crate::plan::document::{Plan, WorkloadTable};
use crate::plan::error::PlanError;
use crate::plan::levels::Draft;
use crate::plan::source::{Part, Source};

/// A key that must be stated in every cell, why, and what to write.
struct Needed {
    key: &'static str,
    problem: &'static str,
    remedy: &'static str,
}

const ALWAYS: &[Needed] = &[
    Needed {
        key: "model",
        problem: "no model is chosen",
        remedy: "set `model` in [settings]: \"pico\", a GGUF file, a Hugging Face folder or \"hf:ORG/NAME@COMMIT\"",
    },
    Needed {
        key: "engine",
        problem: "no engine is chosen",
        remedy: "set `engine = \"candle\"` in [settings]",
    },
    Needed {
        key: "warmup",
        problem: "no warm-up is chosen",
        remedy: "set `warmup` in [settings]: generations that are made and set apart first (0 for none)",
    },
    Needed {
        key: "temperature",
        problem: "no temperature is chosen",
        remedy: "set `temperature = 0` in [settings] for greedy decoding, or another with a `seed`",
    },
];

const WITH_TASKS: Needed = Needed {
    key: "max_tokens",
    problem: "no limit of generated tokens is chosen",
    remedy: "set `max_tokens` in [settings] or as a factor",
};

const WHEN_SAMPLED: Needed = Needed {
    key: "seed",
    problem: "replies are sampled, but no seed is chosen",
    remedy: "set `seed` in [settings], so that both sides of a comparison draw alike",
};

/// Reports the keys that a plan must state and does not.
pub(super) fn check_forgotten(plan: &Plan, draft: &Draft, source: &Source, errors: &mut Vec<PlanError>) {
    // A workload that is scored by log-likelihood alone generates nothing.
    let only_reads = only_reads_likelihoods(draft);
    let generates = |workload: &WorkloadTable| workload.tasks.is_some() && !(workload.quality && only_reads);
    let asks_tasks = plan.workload.iter().any(generates);
    let sampled = draft.stated("temperature").any(|value| value.as_f64().is_some_and(|value| value > 0.0));
    let needed = ALWAYS
        .iter()
        .chain(asks_tasks.then_some(&WITH_TASKS))
        .chain(sampled.then_some(&WHEN_SAMPLED))
        .filter(|needed| !draft.always_states(needed.key) && !source.doubts(needed.key));
    for Needed { problem, remedy, .. } in needed {
        errors.push(source.error("/settings", Part::Key, *problem, *remedy));
    }
}
