//! The first screen: the question, one full sentence per step of a factor, and what limits every sentence.

use super::facts::{Fact, facts};
use super::{Frame, scope};
use crate::compare::{Analysis, FactorFinding, MetricAnalysis, WorkloadAnalysis};
use crate::report::names;
use crate::report::number;
use crate::report::words::{FactorWords, capital, delta_unit, factor_words, grounds, precision, standing};
use serde::Serialize;

/// What stands above the fold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// One group a primary metric.
    pub groups: Vec<AnswerGroup>,
    /// Refusals, missing runs, limits.
    pub facts: Vec<Fact>,
}

/// The answers of one primary metric.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerGroup {
    /// The metric, its unit and its better side.
    pub heading: String,
    /// What it was measured on.
    pub scope: String,
    /// Noise floor, placebo, resolution, n.
    pub grounds: Vec<String>,
    /// One a step of a factor.
    pub answers: Vec<Answer>,
    /// Answers that were left out.
    pub more: usize,
}

/// One step of a factor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// `quantization f32 → q8_0`.
    pub change: String,
    /// The effect in figures, or a dash.
    pub effect: String,
    /// The verdict's word, with hyphens, for colour.
    pub standing: String,
    /// The full sentence.
    pub sentence: String,
    /// The cases into which it falls, where no single number may be quoted.
    pub parts: Vec<String>,
}

/// Answers shown of one metric.
const MAX_ANSWERS: usize = 12;

pub(super) fn summary(frame: &Frame, analysis: &Analysis) -> Summary {
    let group = |(workload, metric)| group(workload, metric, scope::scope(frame, analysis, workload));
    Summary { groups: primary(analysis).map(group).collect(), facts: facts(frame, analysis) }
}

/// The primary metrics with their workloads.
pub(super) fn primary(analysis: &Analysis) -> impl Iterator<Item = (&WorkloadAnalysis, &MetricAnalysis)> {
    analysis
        .workloads
        .iter()
        .flat_map(|workload| workload.metrics.iter().map(move |metric| (workload, metric)))
        .filter(|(_, metric)| metric.primary)
}

fn group(workload: &WorkloadAnalysis, metric: &MetricAnalysis, scope: String) -> AnswerGroup {
    let answers = metric.factors.iter().take(MAX_ANSWERS);
    AnswerGroup {
        heading: heading(workload, metric),
        scope,
        grounds: grounds(workload, metric),
        answers: answers.map(|finding| answer(workload, metric, finding)).collect(),
        more: metric.factors.len().saturating_sub(MAX_ANSWERS),
    }
}

pub(super) fn heading(workload: &WorkloadAnalysis, metric: &MetricAnalysis) -> String {
    use crate::compare::Direction::{HigherIsBetter, LowerIsBetter, Neutral};
    let better = match metric.direction {
        HigherIsBetter => ", higher is better",
        LowerIsBetter => ", lower is better",
        Neutral => "",
    };
    let (name, unit) = (capital(&names::spoken(metric)), names::unit(metric));
    format!("{name}, {unit} (workload {}{better})", workload.name)
}

fn answer(workload: &WorkloadAnalysis, metric: &MetricAnalysis, finding: &FactorFinding) -> Answer {
    let FactorFinding { factor, from, to, .. } = finding;
    let precision = precision(metric, finding.interval.as_ref(), finding.delta);
    let FactorWords { sentence, parts } = factor_words(workload, metric, finding);
    let effect = match finding.delta {
        Some(delta) if !finding.withheld => number::change(delta, precision, delta_unit(metric)),
        _ => "\u{2013}".into(),
    };
    Answer {
        change: format!("{factor} {from} \u{2192} {to}"),
        effect,
        standing: standing(finding).replace(' ', "-"),
        sentence,
        parts,
    }
}

pub(super) fn label(analysis: &Analysis, cell: u32) -> &str {
    let found = analysis.cells.iter().find(|summary| summary.index == cell);
    found.map_or("?", |summary| if summary.label.is_empty() { "the only cell" } else { &summary.label })
}

/// The same as an owned text.
pub(super) fn cell_name(analysis: &Analysis, cell: u32) -> String {
    label(analysis, cell).to_string()
}
