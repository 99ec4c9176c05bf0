//! The plan's identity: a hash over all that decides its runs, and nothing else.

use super::document::Plan;
use super::sense::Surroundings;
use super::{PlanIdentity, PlannedTasks};
use crate::fingerprint;
use serde_json::{Value, json};

/// Version of the rule by which runs follow from a plan: raised when the order of runs or the meaning of a key changes.
const RULE: u32 = 1;

/// Name and hash of a plan. The hash covers settings, factors in order, exclusions, deployments, workloads, the rule of
/// the schedule, the baseline (which the control arm repeats), the contents of task sets and the identity of models; not
/// the number of blocks, the timeout, titles, comparisons or the report.
pub(super) fn of_plan(
    plan: &Plan,
    baseline: &[u16],
    task_sets: &[Option<PlannedTasks>],
    around: &Surroundings,
) -> Option<PlanIdentity> {
    let factors: Vec<Value> = plan.grid.factors.iter().map(|(name, levels)| json!([name, levels])).collect();
    let tasks: Vec<Option<&str>> =
        task_sets.iter().map(|tasks| tasks.as_ref().map(|tasks| tasks.fingerprint.as_str())).collect();
    let decisive = json!({
        "rule": RULE,
        "seed": plan.header.seed,
        "settings": plan.settings,
        "factors": factors,
        "exclude": plan.grid.exclude,
        "deployments": plan.deployments,
        "workloads": plan.workload,
        "control": plan.schedule.control,
        "cooldown_s": plan.schedule.cooldown_s,
        "isolation": plan.schedule.isolation,
        "baseline": baseline,
        "task_sets": tasks,
        "files": around.files(plan),
    });
    let hash = fingerprint::of_json(&decisive).ok()?;
    Some(PlanIdentity { name: plan.header.name.clone(), hash })
}
