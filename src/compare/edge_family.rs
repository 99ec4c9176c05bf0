//! The planned edges of a timing metric as one family.

use super::arms::Arms;
use super::case::Case;
use super::decide::{beside_floor, bounds, decide};
use super::edges::{GuardedEdge, Standing};
use super::findings::{Bounds, CountOf, EdgeFinding};
use super::sentence::edge_sentence;
use super::spec::Spec;
use super::timing::{Series, outlook, plain_difference};
use super::verdict::{Reason, Verdict};
use crate::stats::{Estimate, FitError, Interval, Judged, NoiseLevel, judge};
use std::collections::BTreeMap;

/// All edges of a metric, judged.
pub(super) struct Family {
    pub(super) findings: Vec<EdgeFinding>,
    /// The judged edges by their arms, for the factor effects.
    pub(super) judged: BTreeMap<(usize, usize), Judged>,
    /// Members of the family.
    pub(super) members: usize,
}

/// Judges the edges that may be judged as one family, and tells of the others why not.
pub(super) fn judge_edges(
    case: &Case<'_>,
    arms: &Arms<'_>,
    edges: &[GuardedEdge],
    series: &Series<'_>,
) -> Family {
    let testable: Vec<(&GuardedEdge, Estimate)> =
        edges.iter().filter_map(|edge| Some((edge, estimate(edge, series)?))).collect();
    let estimates: Vec<Estimate> = testable.iter().map(|(_, estimate)| *estimate).collect();
    let judged: BTreeMap<(usize, usize), Judged> =
        testable.iter().map(|(edge, _)| (edge.from, edge.to)).zip(judge(&estimates, series.alpha)).collect();
    let members = judged.len();
    let findings = edges
        .iter()
        .map(|edge| {
            let judged = judged.get(&(edge.from, edge.to));
            let mut finding = blank(case, arms, edge, series.spec);
            fill(&mut finding, arms, edge, series, judged, members);
            finding.sentence = edge_sentence(series.spec, &finding);
            finding
        })
        .collect();
    Family { findings, judged, members }
}

/// The estimate of an edge that may be judged: licensed, one unit on both sides, enough runs on both.
fn estimate(edge: &GuardedEdge, series: &Series<'_>) -> Option<Estimate> {
    let lacking = series.is_incomplete(edge.from) || series.is_incomplete(edge.to);
    if !edge.is_licensed() || lacking || changes_unit(edge, series.spec) {
        return None;
    }
    series.fitted.as_ref().ok()?.edge(edge.from, edge.to)
}

/// Whether the metric counts tokens of two tokenizers.
pub(super) fn changes_unit(edge: &GuardedEdge, spec: &Spec) -> bool {
    edge.tokenizer_varies() && spec.counts_tokens()
}

/// An edge with its names and nothing judged.
pub(super) fn blank(case: &Case<'_>, arms: &Arms<'_>, edge: &GuardedEdge, spec: &Spec) -> EdgeFinding {
    let step = case.step(edge.edge.before, edge.edge.after);
    let words = |cell: u32, level: Option<u16>| match step.zip(level) {
        Some(((factor, _, _), level)) => case.level(factor, level),
        None => case.label(cell),
    };
    let implied = match &edge.standing {
        Standing::Licensed { implied, .. } => implied.clone(),
        _ => Vec::new(),
    };
    EdgeFinding {
        before: edge.edge.before,
        after: edge.edge.after,
        field: edge.edge.field,
        from: words(edge.edge.before, step.map(|(_, from, _)| from)),
        to: words(edge.edge.after, step.map(|(_, _, to)| to)),
        at: step.map_or_else(String::new, |(factor, _, _)| context_of(case, arms, edge, factor)),
        implied,
        delta: None,
        interval: None,
        p: None,
        adjusted_p: None,
        df: None,
        n: 0,
        changed: None,
        clipped: None,
        floor: None,
        verdict: standing_verdict(edge, spec),
        remarks: Vec::new(),
        sentence: String::new(),
    }
}

/// What both cells share, without the factors that do not act on this workload.
fn context_of(case: &Case<'_>, arms: &Arms<'_>, edge: &GuardedEdge, factor: usize) -> String {
    let mut without = arms.inert.clone();
    without.push(factor);
    case.context(edge.edge.before, &without)
}

/// The verdict that needs no statistics.
fn standing_verdict(edge: &GuardedEdge, spec: &Spec) -> Option<Verdict> {
    match &edge.standing {
        Standing::Licensed { .. } if changes_unit(edge, spec) => {
            Some(Verdict::UnitChanged { field: edge.edge.field, instead: Spec::instead() })
        }
        Standing::Licensed { .. } => None,
        Standing::Repeats => Some(Verdict::Repeatability),
        Standing::Refused(refusal) => Some(Verdict::Refused { fields: refusal.fields.clone() }),
        Standing::Incomplete(missing) => Some(Verdict::Incomplete { missing: missing.clone() }),
    }
}

fn fill(
    finding: &mut EdgeFinding,
    arms: &Arms<'_>,
    edge: &GuardedEdge,
    series: &Series<'_>,
    judged: Option<&Judged>,
    members: usize,
) {
    finding.n = arms.layout.blocks as u32;
    if finding.verdict.is_some() {
        return;
    }
    finding.remarks = missing_remark(arms, edge);
    let Some(judged) = judged else {
        finding.delta = plain_difference(series, edge.from, edge.to);
        finding.verdict = without_test(arms, edge, series, finding.delta);
        if matches!(series.fitted, Err(FitError::DidNotVary)) && finding.delta.is_some() {
            finding.remarks.push("did not vary over the runs".into());
        }
        return;
    };
    let scale = series.spec.scale;
    let estimate = &judged.estimate;
    let interval = if series.primary { judged.interval } else { Interval::around(estimate, series.alpha) };
    let shown = bounds(scale, &interval, series.alpha, series.primary);
    finding.delta = Some(scale.shown(estimate.delta));
    finding.interval = Some(shown);
    finding.p = Some(judged.p);
    finding.df = Some(estimate.df);
    finding.clipped = clipped(series, edge);
    finding.floor = floor(arms, series, members);
    if series.primary {
        finding.adjusted_p = Some(judged.adjusted_p);
        let verdict = verdict(arms, series, members, estimate.delta, &shown);
        finding.verdict = Some(beside_floor(verdict, scale, finding.delta, finding.floor));
    }
}

fn verdict(arms: &Arms<'_>, series: &Series<'_>, members: usize, delta: f64, shown: &Bounds) -> Verdict {
    if let Some(reason) = &series.blocked {
        return Verdict::Unresolved { reason: reason.clone() };
    }
    let verdict = decide(shown, series.margin);
    match outlook(arms, series, members) {
        Some(outlook) => outlook.add_to(verdict, series.spec, delta, series.margin),
        None => verdict,
    }
}

/// The noise floor of one edge among `members`, in the shown unit.
pub(super) fn floor(arms: &Arms<'_>, series: &Series<'_>, members: usize) -> Option<f64> {
    let noise = NoiseLevel::found(series.fitted.as_ref().ok()?);
    Some(series.spec.scale.shown(noise.floor(arms.layout.blocks, members, series.alpha)))
}

/// Why an edge of a primary metric has no test; values that did not vary have neither p nor verdict.
fn without_test(
    arms: &Arms<'_>,
    edge: &GuardedEdge,
    series: &Series<'_>,
    delta: Option<f64>,
) -> Option<Verdict> {
    if !series.primary {
        return None;
    }
    let lacking = [edge.from, edge.to].into_iter().find(|&arm| series.is_incomplete(arm));
    let reason = match (&series.fitted, lacking) {
        _ if delta.is_none() => Reason::NothingMeasured,
        (Err(FitError::DidNotVary), _) => return None,
        (Err(error), _) => Reason::Other { words: error.to_string() },
        (Ok(_), Some(arm)) => Reason::ArmMissing { cell: arms.names.get(arm).cloned().unwrap_or_default() },
        (Ok(_), None) => Reason::NothingMeasured,
    };
    let reason = series.blocked.clone().filter(|_| delta.is_some()).unwrap_or(reason);
    Some(Verdict::Unresolved { reason })
}

fn missing_remark(arms: &Arms<'_>, edge: &GuardedEdge) -> Vec<String> {
    let missing = arms.lacking(edge.from) + arms.lacking(edge.to);
    if missing == 0 {
        return Vec::new();
    }
    vec![format!("{missing} of {} runs missing", 4 * arms.layout.blocks)]
}

fn clipped(series: &Series<'_>, edge: &GuardedEdge) -> Option<CountOf> {
    let arms = &series.fitted.as_ref().ok()?.fit.arms;
    let (from, to) = (arms.get(edge.from)?, arms.get(edge.to)?);
    Some(CountOf { k: (from.clipped + to.clipped) as u32, n: (from.runs + to.runs) as u32 })
}
