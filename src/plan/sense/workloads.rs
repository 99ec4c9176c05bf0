//! Workloads: what each asks with, and whether its task file is there.

use super::Surroundings;
use super::scoring::{check_scored_workload, check_tasks, told};
use crate::abilities::{EngineKind, abilities};
use crate::condition::Isolation;
use crate::plan::PlannedTasks;
use crate::plan::document::{Plan, WorkloadTable};
use crate::plan::error::PlanError;
use crate::plan::levels::Draft;
use crate::plan::source::{Part, Source};
use crate::task::TaskSet;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Checks every workload and reads its task file.
pub(in crate::plan) fn check_workloads(
    plan: &Plan,
    draft: &Draft,
    around: &Surroundings,
    source: &Source,
    errors: &mut Vec<PlanError>,
) -> Vec<Option<PlannedTasks>> {
    if plan.workload.is_empty() && !source.is_doubtful("/workload") {
        errors.push(source.error(
            "/workload",
            Part::Key,
            "there is no workload",
            "add a [[workload]] section",
        ));
    }
    check_isolation(plan.schedule.isolation, draft, source, errors);
    let mut names = BTreeSet::new();
    let mut sets = Vec::new();
    for (index, table) in plan.workload.iter().enumerate() {
        let pointer = format!("/workload/{index}");
        if !names.insert(&table.name) && !source.is_doubtful(&format!("{pointer}/name")) {
            let problem = format!("two workloads are called `{}`", table.name);
            errors.push(source.error(
                &format!("{pointer}/name"),
                Part::Value,
                problem,
                "give each its own name",
            ));
        }
        check_purpose(table, &pointer, draft, source, errors);
        check_scored_workload(table, &pointer, draft, source, errors);
        sets.push(task_set(table, &pointer, draft, around, source, errors));
    }
    sets
}

/// Runs can share only a server: one that planrun starts, or one that is there.
fn check_isolation(isolation: Isolation, draft: &Draft, source: &Source, errors: &mut Vec<PlanError>) {
    const PLACE: &str = "/schedule/isolation";
    let (problem, remedy) = match isolation {
        Isolation::Block if !starts_a_server(draft) => (
            "`block` shares one server among the runs of a block, and no engine of this plan is a server that planrun starts",
            "use isolation = \"run\"",
        ),
        Isolation::Attached if !draft.always_states("url") && !source.doubts("url") => (
            "`attached` asks a server that is already there, and not every cell has a `url`",
            "use isolation = \"run\", or give each engine the `url` of its server",
        ),
        _ => return,
    };
    if !source.is_doubtful(PLACE) {
        errors.push(source.error(PLACE, Part::Value, problem, remedy));
    }
}

fn starts_a_server(draft: &Draft) -> bool {
    let mut engines = draft.stated("engine").filter_map(|name| EngineKind::deserialize(name).ok());
    // A program that does not answer at an address is no server: each run starts its own.
    let serves = |engine| abilities(engine).attaches && abilities(engine).program.is_some();
    engines.any(serves) && !draft.always_states("url")
}

fn check_purpose(
    table: &WorkloadTable,
    pointer: &str,
    draft: &Draft,
    source: &Source,
    errors: &mut Vec<PlanError>,
) {
    let mut wrong = |key: &str, problem: String, remedy: &str| {
        errors.push(source.error(&format!("{pointer}/{key}"), Part::Key, problem, remedy));
    };
    let name = &table.name;
    if !table.quality && !table.timed() {
        wrong(
            "timing",
            format!("workload `{name}` measures nothing"),
            "set `quality = true` or `timing = true`",
        );
    }
    let synthetic = table.prompt_tokens.is_some() || table.gen_tokens.is_some();
    match (&table.tasks, table.prompt_tokens, table.gen_tokens) {
        (Some(_), None, None) | (None, Some(_), Some(_)) => {}
        (Some(_), _, _) => wrong(
            "tasks",
            format!("workload `{name}` has a task file and also synthetic prompts"),
            "keep either `tasks`, or `prompt_tokens` with `gen_tokens`",
        ),
        (None, _, _) if source.is_doubtful(pointer) => {}
        (None, _, _) if synthetic => wrong(
            "prompt_tokens",
            format!("workload `{name}` gives only one of `prompt_tokens` and `gen_tokens`"),
            "give both: the length of the prompt and of the reply",
        ),
        (None, _, _) => wrong(
            "tasks",
            format!("workload `{name}` asks nothing"),
            "give it `tasks = \"tasks/FILE.jsonl\"`, or `prompt_tokens` with `gen_tokens`",
        ),
    }
    if table.quality && table.tasks.is_none() && synthetic {
        let problem = format!("workload `{name}` scores answers but asks synthetic prompts");
        wrong("quality", problem, "give it `tasks`, or take `quality` out");
    }
    if table.quality && table.passes > 1 && !table.timed() {
        let problem = format!(
            "workload `{name}` would ask the same tasks {} times and learn nothing new",
            table.passes
        );
        wrong("passes", problem, "take `passes` out");
    }
    if table.quality && !draft.always_states("scorer") && !source.doubts("scorer") {
        let problem = format!("workload `{name}` scores answers, but no scorer is chosen");
        let remedy = "set `scorer` in [settings]: \"exact\", \"contains\", \"regex\", \"numeric\", \"choice\", or by \
                      log-likelihood \"loglikelihood_letter\", \"loglikelihood\" or \"loglikelihood_norm\"";
        wrong("quality", problem, remedy);
    }
}

fn task_set(
    table: &WorkloadTable,
    pointer: &str,
    draft: &Draft,
    around: &Surroundings,
    source: &Source,
    errors: &mut Vec<PlanError>,
) -> Option<PlannedTasks> {
    let path = around.path(table.tasks.as_deref()?);
    match TaskSet::read(&path) {
        Ok(set) if table.quality && set.tasks.iter().all(|task| task.expected.is_empty()) => {
            let problem =
                format!("{}: no task has an expected answer, so nothing can be scored", path.display());
            let remedy = "give the tasks `expected`, or take `quality` out";
            errors.push(source.error(&format!("{pointer}/tasks"), Part::Value, problem, remedy));
            None
        }
        Ok(set) if !check_tasks(table, &set, &path, draft, source, errors) => None,
        Ok(set) => Some(PlannedTasks { path, count: set.len() as u64, fingerprint: set.fingerprint() }),
        Err(error) => {
            let (problem, remedy) = told(&error, "mend the task file");
            errors.push(source.error(&format!("{pointer}/tasks"), Part::Value, problem, remedy));
            None
        }
    }
}
