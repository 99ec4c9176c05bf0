//! What limits every sentence of the first screen: refusals, missing runs, what was not compared, what the words mean.

use super::Frame;
use super::conditions;
use super::summary::{label, primary};
use crate::compare::{AnalysedFactor, Analysis, FactorFinding};
use crate::condition::{Field, REQUANTIZED_FROM};
use crate::report::names;
use crate::report::words::{self, capital, counted, listed};
use serde::Serialize;
use std::collections::BTreeSet;

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

pub(super) fn facts(frame: &Frame, analysis: &Analysis) -> Vec<Fact> {
    [refusals(analysis), incomplete(analysis)]
        .into_iter()
        .chain(beside_servers(analysis))
        .chain(analysis.warnings.iter().map(|warning| Fact::alarm("Beware", warning.clone())))
        .chain(requantized(analysis))
        .chain(assumed(analysis))
        .chain(levels_apart(analysis))
        .chain([holds(frame, analysis)])
        .chain(meanings(analysis))
        .collect()
}

fn refusals(analysis: &Analysis) -> Fact {
    let labels: Vec<_> = analysis
        .refused
        .iter()
        .take(3)
        .map(|edge| format!("{} against {}", label(analysis, edge.before), label(analysis, edge.after)))
        .collect();
    match analysis.refused.len() {
        0 if analysis.cells.len() == 1 => {
            Fact::calm("Compared", "Nothing is compared: the plan has one cell.".into())
        }
        0 => Fact::calm(
            "Refused",
            "No planned comparison was refused: each differs in its one planned field.".into(),
        ),
        n => Fact::alarm(
            "Refused",
            format!(
                "{} may not be made: {}{}.",
                counted(n, "planned comparison"),
                labels.join("; "),
                and_more(n)
            ),
        ),
    }
}

fn incomplete(analysis: &Analysis) -> Fact {
    let coverage = analysis.coverage;
    if analysis.missing.is_empty() {
        let text = match coverage.planned {
            1 => "The one planned run was measured.".to_owned(),
            several => format!("All {several} planned runs were measured."),
        };
        return Fact::calm("Complete", text);
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

/// Neighbours that were there while measuring: who reads a rate must know.
fn beside_servers(analysis: &Analysis) -> Option<Fact> {
    let others = analysis.workloads.iter().flat_map(|workload| &workload.beside);
    let programs: BTreeSet<String> =
        others.map(|other| other.split(',').next().unwrap_or_default().to_owned()).collect();
    let names = listed(&programs.into_iter().collect::<Vec<_>>());
    (!names.is_empty()).then(|| {
        Fact::alarm(
            "Beside servers",
            format!(
                "Other inference servers ran on this machine while it measured ({names}): whenever somebody asked them, they \
                 took its cores and its memory's bandwidth."
            ),
        )
    })
}

fn and_more(n: usize) -> String {
    if n > 3 { format!("; and {} more, listed below", n - 3) } else { String::new() }
}

/// Weights that were rounded before they came here: a statement about the file, not about the model.
fn requantized(analysis: &Analysis) -> Option<Fact> {
    let shown = analysis.cells.iter().flat_map(|cell| &cell.condition);
    let made = shown.filter(|shown| shown.field == Field::Quantization);
    let (schemes, sources): (BTreeSet<&str>, BTreeSet<&str>) =
        made.filter_map(|shown| shown.value.split_once(REQUANTIZED_FROM)).unzip();
    let [schemes, sources] =
        [schemes, sources].map(|names| listed(&names.into_iter().map(str::to_owned).collect::<Vec<_>>()));
    let text = format!(
        "Made here of weights that stood in {sources} already: {schemes}. What they change is told of this file, and not of \
         quantizations of the original weights."
    );
    (!sources.is_empty()).then(|| Fact::alarm("Requantized", text))
}

fn assumed(analysis: &Analysis) -> Option<Fact> {
    let names: Vec<_> = analysis.assumed.iter().map(|field| field.name()).collect();
    let text = format!("Not recorded, and taken as equal because the plan says so: {}.", names.join(", "));
    (!names.is_empty()).then(|| Fact::alarm("Assumed", text))
}

/// Levels that were each compared with one other, and never among themselves.
fn levels_apart(analysis: &Analysis) -> Option<Fact> {
    let findings = || primary(analysis).flat_map(|(_, metric)| &metric.factors);
    let apart = analysis.factors.iter().filter_map(|factor| apart(factor, findings()));
    let sentences: Vec<String> = apart.collect();
    (!sentences.is_empty()).then(|| Fact::calm("Not compared", sentences.join(" ")))
}

fn apart<'a>(factor: &AnalysedFactor, findings: impl Iterator<Item = &'a FactorFinding>) -> Option<String> {
    let own = findings.filter(|finding| finding.factor == factor.name);
    let steps: BTreeSet<(&str, &str)> = own.map(|finding| (&*finding.from, &*finding.to)).collect();
    let first = steps.first()?.0;
    let others: Vec<String> =
        factor.levels.iter().filter(|level| steps.contains(&(first, level.as_str()))).cloned().collect();
    let is_star = others.len() > 1 && others.len() == steps.len();
    is_star.then(|| {
        format!(
            "{} {} were each compared with {first}, not with each other.",
            capital(&factor.name),
            listed(&others)
        )
    })
}

/// The condition under which everything above holds.
fn holds(frame: &Frame, analysis: &Analysis) -> Fact {
    let machine = conditions::raw_common(analysis, Field::Hardware).map_or_else(
        || "one machine".into(),
        |hardware| format!("one machine ({})", names::machine(&hardware)),
    );
    let model = conditions::common(analysis, Field::Model)
        .map_or_else(|| "one training run of each model".into(), |model| format!("one model ({model})"));
    let nothing_drawn = analysis.workloads.iter().all(|workload| {
        !workload.determinism.is_empty() && workload.determinism.iter().all(|check| check.by_likelihood)
    });
    let sampling = match conditions::common(analysis, Field::Temperature).as_deref() {
        _ if nothing_drawn => "log-likelihoods of given answers (nothing was generated)",
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
            "{}, {model}, {sampling}, and the cells of this grid only. Speed says nothing about correctness. The chance \
             of any false \"established\" is at most {error} over all primary metrics.{extended}",
            capital(&machine)
        ),
    )
}

/// The words that the answers use.
fn meanings(analysis: &Analysis) -> Option<Fact> {
    let findings = primary(analysis).flat_map(|(_, metric)| &metric.factors);
    let edges = primary(analysis).flat_map(|(_, metric)| &metric.edges);
    let mut used: Vec<&str> = findings.map(words::standing).collect();
    used.extend(edges.filter_map(|edge| edge.verdict.as_ref()).map(crate::compare::Verdict::word));
    let text = words::legend(&used);
    (!text.is_empty()).then(|| Fact::calm("The words", text))
}

impl Fact {
    fn calm(name: &str, text: String) -> Self {
        Self { name: name.into(), text, alarm: false }
    }

    fn alarm(name: &str, text: String) -> Self {
        Self { name: name.into(), text, alarm: true }
    }
}
