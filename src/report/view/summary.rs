//! The first screen: the question, one full sentence per step of a factor, and what limits every sentence.

use super::Frame;
use crate::compare::{Analysis, FactorFinding, MetricAnalysis, Placebo, Verdict, WorkloadAnalysis};
use crate::report::names;
use crate::report::number::{self, Precision};
use crate::report::words::{self, capital, delta_unit, factor_words};
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
}

/// A named fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// What about.
    pub name: String,
    /// The sentence.
    pub text: String,
    /// True where the reader must act or beware.
    pub alarm: bool,
}

/// Answers shown of one metric.
const MAX_ANSWERS: usize = 12;

pub(super) fn summary(frame: &Frame, analysis: &Analysis) -> Summary {
    let groups = primary(analysis).map(|(workload, metric)| group(workload, metric)).collect();
    let facts = [refusals(analysis), incomplete(analysis)]
        .into_iter()
        .chain(analysis.warnings.iter().map(|warning| Fact::alarm("Beware", warning.clone())))
        .chain(assumed(analysis))
        .chain([holds(frame, analysis)])
        .collect();
    Summary { groups, facts }
}

/// The primary metrics with their workloads.
pub(super) fn primary(analysis: &Analysis) -> impl Iterator<Item = (&WorkloadAnalysis, &MetricAnalysis)> {
    analysis
        .workloads
        .iter()
        .flat_map(|workload| workload.metrics.iter().map(move |metric| (workload, metric)))
        .filter(|(_, metric)| metric.primary)
}

fn group(workload: &WorkloadAnalysis, metric: &MetricAnalysis) -> AnswerGroup {
    AnswerGroup {
        heading: heading(workload, metric),
        grounds: grounds(metric),
        answers: metric.factors.iter().take(MAX_ANSWERS).map(|finding| answer(metric, finding)).collect(),
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

fn answer(metric: &MetricAnalysis, finding: &FactorFinding) -> Answer {
    let FactorFinding { factor, from, to, .. } = finding;
    let precision = words::precision(finding.interval.as_ref());
    let effect = match finding.delta {
        Some(delta) if !finding.withheld => number::change(delta, precision, delta_unit(metric)),
        _ => "\u{2013}".into(),
    };
    Answer {
        change: format!("{factor} {from} \u{2192} {to}"),
        effect,
        standing: standing(finding).replace(' ', "-"),
        sentence: factor_words(metric, finding),
    }
}

fn standing(finding: &FactorFinding) -> &'static str {
    if finding.withheld {
        "edges disagree"
    } else {
        finding.verdict.as_ref().map_or("no verdict", Verdict::word)
    }
}

/// What every number of a metric rests on: floor, placebo, spread of single runs, resolution.
pub(super) fn grounds(metric: &MetricAnalysis) -> Vec<String> {
    let unit = delta_unit(metric);
    let mut grounds = Vec::new();
    if let Some(floor) = &metric.floor {
        let precision = Precision::of_half_width(floor.value);
        grounds.push(format!(
            "Noise floor \u{b1}{}: the smallest difference on one edge that these {} blocks could establish",
            number::with_unit(precision.plain(floor.value), unit),
            floor.blocks
        ));
    }
    if let Some(spread) = &metric.repeats {
        grounds.push(format!(
            "two single runs of the same cell differ by chance: robust sd of a run {}, n = {}",
            number::with_unit(Precision::of_half_width(spread.robust_sd).plain(spread.robust_sd), unit),
            spread.n
        ));
    }
    if let Some(resolution) = &metric.resolution {
        grounds.push(capital(&resolution.sentence));
    }
    grounds.extend(metric.placebo.as_ref().map(|placebo| placebo_words(metric, placebo)));
    if metric.did_not_vary {
        grounds.push(
            "Every arm repeated one identical value: differences are printed without p or verdict".into(),
        );
    }
    grounds
}

fn placebo_words(metric: &MetricAnalysis, placebo: &Placebo) -> String {
    let precision = words::precision(Some(&placebo.interval));
    let delta = number::change(placebo.delta, precision, delta_unit(metric));
    let interval = words::interval_words(metric, &placebo.interval, precision);
    if placebo.delta == 0.0 && placebo.interval.low == 0.0 && placebo.interval.high == 0.0 {
        return "placebo passed: the baseline gave the same result twice".into();
    }
    if placebo.failed {
        return format!(
            "PLACEBO FAILED: the baseline run twice differs by {delta} ({interval}): no verdict here"
        );
    }
    format!("placebo passed: the baseline against itself {delta} ({interval})")
}

fn refusals(analysis: &Analysis) -> Fact {
    let labels: Vec<_> = analysis
        .refused
        .iter()
        .take(3)
        .map(|edge| format!("{} against {}", label(analysis, edge.before), label(analysis, edge.after)))
        .collect();
    match analysis.refused.len() {
        0 => Fact::calm(
            "Refused",
            "No planned edge was refused: each differs in its one planned field.".into(),
        ),
        n => Fact::alarm(
            "Refused",
            format!("{n} planned edges may not be compared: {}{}.", labels.join("; "), and_more(n)),
        ),
    }
}

fn incomplete(analysis: &Analysis) -> Fact {
    let coverage = analysis.coverage;
    if analysis.missing.is_empty() {
        return Fact::calm("Complete", format!("All {} planned runs were measured.", coverage.planned));
    }
    let names: Vec<_> = analysis.missing.iter().take(3).map(|run| run.name.as_str()).collect();
    let text = format!(
        "{} of {} runs were measured; {} failed and {} are absent: {}{}.",
        coverage.done,
        coverage.planned,
        coverage.failed,
        coverage.absent,
        names.join("; "),
        and_more(analysis.missing.len())
    );
    Fact::alarm("Incomplete", text)
}

fn and_more(n: usize) -> String {
    if n > 3 { format!("; and {} more, listed below", n - 3) } else { String::new() }
}

fn assumed(analysis: &Analysis) -> Option<Fact> {
    let names: Vec<_> = analysis.assumed.iter().map(|field| field.name()).collect();
    let text = format!("Not recorded, and taken as equal because the plan says so: {}.", names.join(", "));
    (!names.is_empty()).then(|| Fact::alarm("Assumed", text))
}

/// The condition under which everything above holds.
fn holds(frame: &Frame, analysis: &Analysis) -> Fact {
    let machine = super::conditions::raw_common(analysis, crate::condition::Field::Hardware).map_or_else(
        || "one machine".into(),
        |hardware| format!("one machine ({})", names::machine(&hardware)),
    );
    let sampling = match super::conditions::common(analysis, crate::condition::Field::Temperature).as_deref()
    {
        Some("0" | "0.0") => "one greedy draw per task",
        _ => "the sampling settings below",
    };
    let steps: Vec<String> =
        frame.extended.iter().map(|step| format!(" The plan was extended {step}.")).collect();
    let extended = steps.concat();
    let error = names::percent(analysis.alpha);
    Fact::calm(
        "Holds for",
        format!(
            "{}, one training run of each model, {sampling}, and the cells of this grid only. Speed says nothing \
             about correctness. The chance of any false \"established\" is at most {error} over all primary \
             metrics.{extended}",
            capital(&machine)
        ),
    )
}

pub(super) fn label(analysis: &Analysis, cell: u32) -> &str {
    let found = analysis.cells.iter().find(|summary| summary.index == cell);
    found.map_or("?", |summary| if summary.label.is_empty() { "the only cell" } else { &summary.label })
}

impl Fact {
    fn calm(name: &str, text: String) -> Self {
        Self { name: name.into(), text, alarm: false }
    }

    fn alarm(name: &str, text: String) -> Self {
        Self { name: name.into(), text, alarm: true }
    }
}
