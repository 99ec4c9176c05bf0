//! `[compare]`: metrics, margins and what is assumed.

use super::scoring::only_reads_likelihoods;
use crate::plan::document::{Plan, WorkloadTable};
use crate::plan::error::{PlanError, suggest};
use crate::plan::levels::Draft;
use crate::plan::metrics::{METRICS, lacks, metric_names};
use crate::plan::source::{Part, Source, child};

/// Metrics of a generated reply.
const OF_REPLIES: &[&str] = &["reply_tokens", "capped_share"];

/// Checks that every metric exists and that its workload has it.
pub(in crate::plan) fn check_compare(
    plan: &Plan,
    draft: &Draft,
    source: &Source,
    errors: &mut Vec<PlanError>,
) {
    let only_reads = only_reads_likelihoods(draft);
    for (workload, metrics) in &plan.compare.metrics {
        let pointer = child("/compare/metrics", workload);
        let Some(table) = plan.workload.iter().find(|table| &table.name == workload) else {
            let known: Vec<&str> = plan.workload.iter().map(|table| table.name.as_str()).collect();
            let problem = format!("no workload is called `{workload}`");
            errors.push(source.error(&pointer, Part::Key, problem, suggest(workload, &known, "workloads")));
            continue;
        };
        for (index, metric) in metrics.iter().enumerate() {
            let pointer = child(&pointer, &index.to_string());
            check_metric(metric, table, &pointer, source, errors);
            if only_reads && table.quality && OF_REPLIES.contains(&metric.as_str()) {
                let problem = format!(
                    "`{metric}` cannot be measured: scored by log-likelihood, workload `{}` generates no reply",
                    table.name
                );
                let remedy = "take it out, or use a scorer of generated replies";
                errors.push(source.error(&pointer, Part::Value, problem, remedy));
            }
        }
    }
    for metric in plan.compare.margins.keys().filter(|metric| !metric_names().contains(&metric.as_str())) {
        let pointer = child("/compare/margins", metric);
        let problem = format!("unknown metric `{metric}`");
        errors.push(source.error(&pointer, Part::Key, problem, suggest(metric, &metric_names(), "metrics")));
    }
}

fn check_metric(
    metric: &str,
    table: &WorkloadTable,
    pointer: &str,
    source: &Source,
    errors: &mut Vec<PlanError>,
) {
    let Some((_, needs)) = METRICS.iter().find(|(name, _)| *name == metric) else {
        let problem = format!("unknown metric `{metric}`");
        errors.push(source.error(pointer, Part::Value, problem, suggest(metric, &metric_names(), "metrics")));
        return;
    };
    if let Some((lack, remedy)) = lacks(*needs, table) {
        let problem = format!("`{metric}` cannot be measured: workload `{}` {lack}", table.name);
        errors.push(source.error(pointer, Part::Value, problem, remedy));
    }
}
