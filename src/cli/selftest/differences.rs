//! Where a report says something else than the statistics do of the same values.

use super::plan_text::{METRIC, WORKLOAD};
use crate::stats::log_difference_as_percent;
use crate::stats::simulation::{ALPHA, SimulatedEdge, SimulatedPlan};
use serde_json::Value;

/// Percentage points by which numbers may differ: speeds become times and speeds again on their way.
const TOLERANCE: f64 = 1e-6;

/// What `report.json` says of the edges of a simulated plan, where the statistics say something else; empty where they
/// agree on every difference, interval, noise floor and verdict, and on the placebo.
pub fn differences(report: &Value, simulated: &SimulatedPlan) -> Vec<String> {
    let Some(metric) = metric(report) else { return vec![format!("the report has no {METRIC}")] };
    let mut found = Vec::new();
    let placebo = (&metric["placebo"]["delta"], simulated.placebo.delta);
    let floor = (&metric["floor"]["value"], simulated.floor);
    found.extend(different("placebo", "delta", placebo.0, placebo.1));
    found.extend(different("all edges", "noise floor", floor.0, floor.1));
    let reported = edges(report);
    if reported.len() != simulated.edges.len() {
        found.push(format!("{} edges instead of {}", reported.len(), simulated.edges.len()));
    }
    for edge in &simulated.edges {
        match reported.iter().find(|reported| is_of(reported, edge)) {
            Some(reported) => found.extend(edge_differences(reported, edge, simulated)),
            None => found.push(format!("{}: absent", name(edge))),
        }
    }
    found
}

/// The verdict that the report must give an edge.
fn expected_verdict(edge: &SimulatedEdge, simulated: &SimulatedPlan) -> &'static str {
    if simulated.placebo.p() < ALPHA {
        "unresolved"
    } else if edge.judged.is_established() {
        "established"
    } else {
        "within_noise"
    }
}

/// The judged edges of the primary metric.
pub(super) fn edges(report: &Value) -> &[Value] {
    metric(report).and_then(|metric| metric["edges"].as_array()).map_or(&[], Vec::as_slice)
}

fn metric(report: &Value) -> Option<&Value> {
    let named =
        |list: &'_ Value, key: &str, name: &str| list.as_array()?.iter().position(|entry| entry[key] == name);
    let workloads = &report["analysis"]["workloads"];
    let metrics = &workloads[named(workloads, "name", WORKLOAD)?]["metrics"];
    Some(&metrics[named(metrics, "metric", METRIC)?])
}

/// Whether this is the edge's entry in the report.
pub(super) fn is_of(reported: &Value, edge: &SimulatedEdge) -> bool {
    reported["before"] == edge.edge.from && reported["after"] == edge.edge.to
}

fn edge_differences(reported: &Value, edge: &SimulatedEdge, simulated: &SimulatedPlan) -> Vec<String> {
    let (name, judged) = (name(edge), &edge.judged);
    let numbers = [
        ("delta", &reported["delta"], judged.estimate.delta),
        ("low end", &reported["interval"]["low"], judged.interval.low),
        ("high end", &reported["interval"]["high"], judged.interval.high),
        ("noise floor", &reported["floor"], simulated.floor),
    ];
    let mut found: Vec<String> = numbers
        .into_iter()
        .filter_map(|(what, reported, expected)| different(&name, what, reported, expected))
        .collect();
    let (verdict, expected) = (&reported["verdict"]["verdict"], expected_verdict(edge, simulated));
    if verdict != expected {
        found.push(format!("{name}: verdict {verdict} instead of \"{expected}\""));
    }
    found
}

/// Compares a number of the report (per cent) with what it must be (logarithms).
fn different(name: &str, what: &str, reported: &Value, expected: f64) -> Option<String> {
    let expected = log_difference_as_percent(expected);
    let close = reported.as_f64().is_some_and(|reported| (reported - expected).abs() <= TOLERANCE);
    (!close).then(|| format!("{name}: {what} {reported} % instead of {expected} %"))
}

fn name(edge: &SimulatedEdge) -> String {
    format!("cells {} -> {}", edge.edge.from, edge.edge.to)
}
