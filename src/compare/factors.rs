//! The effects of the factors' steps, pooled over parallel edges: the first table of a report.

use super::arms::Arms;
use super::case::Case;
use super::decide::{beside_floor, bounds, decide};
use super::edge_family::{changes_unit, floor};
use super::edges::GuardedEdge;
use super::findings::FactorFinding;
use super::sentence::factor_sentence;
use super::spec::Spec;
use super::timing::{Series, outlook, plain_difference};
use super::verdict::{Reason, Verdict};
use crate::stats::{FactorEffect, FitError, Interval, Judged, factor_effect, judge, mean};
use std::collections::BTreeMap;

/// A step of a factor: its index, the level before and the level after.
pub(super) type Step = (usize, u16, u16);

/// The edges of each step, in the order of factors and levels.
pub(super) fn parallel_edges<'e>(
    case: &Case<'_>,
    edges: &'e [GuardedEdge],
) -> BTreeMap<Step, Vec<&'e GuardedEdge>> {
    let mut steps: BTreeMap<Step, Vec<&GuardedEdge>> = BTreeMap::new();
    for edge in edges {
        if let Some(step) = case.step(edge.edge.before, edge.edge.after) {
            steps.entry(step).or_default().push(edge);
        }
    }
    steps
}

/// Judges all steps as one family.
pub(super) fn judge_factors(
    case: &Case<'_>,
    arms: &Arms<'_>,
    edges: &[GuardedEdge],
    judged: &BTreeMap<(usize, usize), Judged>,
    series: &Series<'_>,
) -> Vec<FactorFinding> {
    let steps = parallel_edges(case, edges);
    let pooled: Vec<(Step, &[&GuardedEdge], Option<Pool>)> = steps
        .iter()
        .map(|(step, parallel)| (*step, parallel.as_slice(), pool(parallel, judged, series)))
        .collect();
    let estimates: Vec<_> =
        pooled.iter().filter_map(|(.., pool)| pool.as_ref()).map(|pool| pool.effect.estimate).collect();
    let members = estimates.len();
    let floor = floor(arms, series, judged.len());
    let mut family = judge(&estimates, series.alpha).into_iter();
    let mut findings = Vec::new();
    for (step, parallel, pool) in pooled {
        let mut finding = blank_factor(case, step, parallel, series.spec);
        if let Some(pool) = pool
            && let Some(judged) = family.next()
        {
            fill(&mut finding, arms, &pool, &judged, series, members);
            let beside = |verdict| beside_floor(verdict, series.spec.scale, finding.delta, floor);
            finding.verdict = finding.verdict.take().map(beside);
        } else if finding.verdict.is_none() {
            plain(&mut finding, parallel, series);
        }
        finding.sentence = factor_sentence(series.spec, &finding);
        findings.push(finding);
    }
    findings
}

/// A step without a test: the mean of its edges' plain differences, where there are any.
fn plain(finding: &mut FactorFinding, parallel: &[&GuardedEdge], series: &Series<'_>) {
    let licensed = parallel.iter().filter(|edge| edge.is_licensed() && !changes_unit(edge, series.spec));
    let deltas: Vec<f64> = licensed.filter_map(|edge| plain_difference(series, edge.from, edge.to)).collect();
    finding.edges = deltas.len() as u32;
    finding.delta = mean(&deltas);
    let varied = !matches!(series.fitted, Err(FitError::DidNotVary));
    if series.primary && (varied || deltas.is_empty()) {
        let reason = series.blocked.clone().unwrap_or(Reason::NothingMeasured);
        finding.verdict = Some(Verdict::Unresolved { reason });
    }
}

struct Pool {
    effect: FactorEffect,
    withheld: bool,
}

fn pool(
    parallel: &[&GuardedEdge],
    judged: &BTreeMap<(usize, usize), Judged>,
    series: &Series<'_>,
) -> Option<Pool> {
    let pairs: Vec<(usize, usize)> =
        parallel.iter().map(|edge| (edge.from, edge.to)).filter(|pair| judged.contains_key(pair)).collect();
    if pairs.is_empty() {
        return None;
    }
    let edges: Vec<Judged> = pairs.iter().filter_map(|pair| judged.get(pair).copied()).collect();
    let effect = factor_effect(series.fitted.as_ref().ok()?, &pairs)?;
    Some(Pool { withheld: effect.is_withheld(&edges), effect })
}

/// A factor's step with its names and nothing judged.
pub(super) fn blank_factor(
    case: &Case<'_>,
    (factor, from, to): Step,
    parallel: &[&GuardedEdge],
    spec: &Spec,
) -> FactorFinding {
    let field = parallel.first().map(|edge| edge.edge.field);
    let unit_changed = parallel.iter().all(|edge| changes_unit(edge, spec));
    let verdict =
        field.filter(|_| unit_changed).map(|field| Verdict::UnitChanged { field, instead: Spec::instead() });
    FactorFinding {
        factor: case.factor(factor),
        field: field.unwrap_or(case.planned.factors[factor].field),
        from: case.level(factor, from),
        to: case.level(factor, to),
        edges: 0,
        delta: None,
        interval: None,
        p: None,
        adjusted_p: None,
        tau: None,
        range: None,
        heterogeneity_p: None,
        withheld: false,
        parallel: Vec::new(),
        distinct: None,
        split: None,
        verdict: verdict.or_else(|| all_refused(parallel)),
        sentence: String::new(),
    }
}

/// Where the guard refused every parallel edge, the factor has no effect to speak of.
fn all_refused(parallel: &[&GuardedEdge]) -> Option<Verdict> {
    let refusals: Vec<_> = parallel
        .iter()
        .filter_map(|edge| match &edge.standing {
            super::edges::Standing::Refused(refusal) => Some(refusal),
            _ => None,
        })
        .collect();
    let first = refusals.first().filter(|_| refusals.len() == parallel.len())?;
    Some(Verdict::Refused { fields: first.fields.clone() })
}

fn fill(
    finding: &mut FactorFinding,
    arms: &Arms<'_>,
    pool: &Pool,
    judged: &Judged,
    series: &Series<'_>,
    members: usize,
) {
    let Pool { effect, withheld } = pool;
    let scale = series.spec.scale;
    finding.edges = effect.edges as u32;
    finding.tau = Some(scale.shown(effect.tau));
    finding.range = Some([scale.shown(effect.min), scale.shown(effect.max)]);
    finding.heterogeneity_p = Some(effect.heterogeneity_p);
    finding.p = Some(judged.p);
    finding.withheld = *withheld;
    let interval =
        if series.primary { judged.interval } else { Interval::around(&effect.estimate, series.alpha) };
    let shown = bounds(scale, &interval, series.alpha, series.primary);
    if !withheld {
        finding.delta = Some(scale.shown(effect.estimate.delta));
        finding.interval = Some(shown);
    }
    if !series.primary {
        return;
    }
    finding.adjusted_p = Some(judged.adjusted_p);
    finding.verdict = Some(match &series.blocked {
        Some(reason) => Verdict::Unresolved { reason: reason.clone() },
        None if *withheld => Verdict::Unresolved { reason: Reason::EdgesDisagree },
        None => {
            let verdict = decide(&shown, series.margin);
            // The pooled effect averages its edges' noise: the outlook of a single edge overstates the price.
            match outlook(arms, series, members) {
                Some(mut outlook) => {
                    outlook.noise.variance /= effect.edges as f64;
                    outlook.add_to(verdict, series.spec, effect.estimate.delta, series.margin)
                }
                None => verdict,
            }
        }
    });
}
