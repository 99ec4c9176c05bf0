//! The whole judgement: records in, [`Analysis`] out. Nothing is read, printed or drawn here.

use super::analysis::{Analysis, Coverage, MissingRun, RefusedEdge, WorkloadAnalysis};
use super::arms::Arms;
use super::case::Case;
use super::cells::{beside, factors, merged, not_compared, summaries, workload_warnings};
use super::edges::{GuardedEdge, Standing, guard_edges};
use super::findings::MetricAnalysis;
use super::identity::{agreement, determinism};
use super::made::Made;
use super::one_sided::one_sided;
use super::parallel;
use super::quality::judge_items;
use super::spec::{Spec, Unit};
use super::timing::judge_timing;
use crate::plan::Planned;
use crate::record::RunRecord;
use std::collections::{BTreeMap, BTreeSet};

/// Judges the records of a plan. Records of other plans are left out, and told.
pub fn analyse(planned: &Planned, records: &[RunRecord]) -> Analysis {
    let case = Case::of(planned);
    let own = |record: &&RunRecord| record.plan.hash == planned.identity.hash;
    let by_id: BTreeMap<&str, &RunRecord> =
        records.iter().filter(own).map(|record| (record.id.as_str(), record)).collect();
    let mut analysis = Analysis {
        plan: planned.identity.clone(),
        alpha: case.alpha,
        factors: factors(planned),
        cells: summaries(planned, records),
        baseline: planned.baseline,
        coverage: Coverage::default(),
        made: Made::of(by_id.values().copied()),
        missing: Vec::new(),
        workloads: Vec::new(),
        refused: Vec::new(),
        not_compared: not_compared(planned),
        assumed: case.assume().to_vec(),
        warnings: foreign(records.len() - by_id.len()),
    };
    for arms in (0..planned.workloads.len()).filter_map(|at| Arms::of(&case, at, &by_id)) {
        let edges = guard_edges(&case, &arms);
        analysis.warnings.extend(one_sided(&arms));
        analysis.workloads.push(judge_workload(&case, &arms, &edges));
        analysis.refused.extend(refused(&arms, edges));
        count(&mut analysis.coverage, &arms);
        analysis.missing.extend(arms.missing.into_iter().map(|(_, missing)| missing));
    }
    analysis
}

fn foreign(left_out: usize) -> Vec<String> {
    if left_out == 0 {
        return Vec::new();
    }
    vec![format!("{left_out} records belong to another plan, or stand twice, and were left out")]
}

fn count(coverage: &mut Coverage, arms: &Arms<'_>) {
    let failed = arms.missing.iter().filter(|(_, MissingRun { kind, .. })| kind.is_some()).count();
    coverage.done += arms.done.len() as u32;
    coverage.failed += failed as u32;
    coverage.absent += (arms.missing.len() - failed) as u32;
    coverage.planned += (arms.done.len() + arms.missing.len()) as u32;
}

fn judge_workload(case: &Case<'_>, arms: &Arms<'_>, edges: &[GuardedEdge]) -> WorkloadAnalysis {
    let workload = &arms.planned.workload;
    let agreement = agreement(arms, edges);
    let judged = specs(case, arms).into_iter().map(|spec| {
        let mut metric = judge_metric(case, arms, edges, &spec);
        parallel::describe(case, &agreement, &mut metric);
        metric
    });
    WorkloadAnalysis {
        name: workload.name.clone(),
        timing: workload.timing,
        quality: workload.quality,
        once: arms.planned.once,
        blocks: arms.layout.blocks as u32,
        merged: merged(arms.planned),
        metrics: judged.collect(),
        agreement,
        determinism: determinism(arms),
        warnings: workload_warnings(arms),
        beside: beside(arms),
    }
}

/// The metrics to judge: primary ones first, in the plan's order, then the others that were measured, in the
/// catalogue's order.
fn specs(case: &Case<'_>, arms: &Arms<'_>) -> Vec<Spec> {
    let name = &arms.planned.workload.name;
    let primaries = case.primaries_of(name);
    let measured: BTreeSet<&String> = arms
        .done
        .iter()
        .flat_map(|run| run.record.measurement.iter())
        .filter(|(_, measured)| measured.value.is_some())
        .map(|(metric, _)| metric)
        .collect();
    let catalogued = crate::measure::CATALOGUE.iter().map(|metric| metric.name.to_owned());
    let known = catalogued.filter(|metric| measured.contains(metric));
    let foreign = measured.iter().filter(|metric| crate::measure::metric(metric).is_none());
    let others = known.chain(foreign.map(|metric| (*metric).clone()));
    let names = primaries.iter().cloned().chain(others.filter(|metric| !primaries.contains(metric)));
    names.map(|metric| spec(arms, &metric)).collect()
}

fn spec(arms: &Arms<'_>, metric: &str) -> Spec {
    let measured = arms.done.iter().find_map(|run| run.record.measurement.get(metric));
    Spec::of(metric, measured)
}

fn judge_metric(case: &Case<'_>, arms: &Arms<'_>, edges: &[GuardedEdge], spec: &Spec) -> MetricAnalysis {
    match spec.replication {
        Unit::Item => judge_items(case, arms, edges, spec),
        Unit::Block | Unit::Nothing => judge_timing(case, arms, edges, spec),
    }
}

fn refused(arms: &Arms<'_>, edges: Vec<GuardedEdge>) -> Vec<RefusedEdge> {
    let refusal = |edge: GuardedEdge| match edge.standing {
        Standing::Refused(refusal) => Some(RefusedEdge {
            workload: arms.planned.workload.name.clone(),
            before: edge.edge.before,
            after: edge.edge.after,
            planned: edge.edge.field,
            refusal: *refusal,
        }),
        _ => None,
    };
    edges.into_iter().filter_map(refusal).collect()
}
