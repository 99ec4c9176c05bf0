//! Scorers against engines, workloads and task sets.

use super::stated::Complaint;
use crate::abilities::{Abilities, EngineKind, abilities};
use crate::condition::{CacheState, Settings};
use crate::plan::document::{Plan, WorkloadTable};
use crate::plan::error::PlanError;
use crate::plan::levels::Draft;
use crate::plan::source::{Part, Source};
use crate::task::{Conversation, Scorer, TaskSet};
use serde_json::Value;
use std::path::Path;

/// True if every scorer that the plan states reads log-likelihoods, so that a scored workload generates nothing.
pub(super) fn only_reads_likelihoods(draft: &Draft) -> bool {
    let mut scorers = scorers(draft).peekable();
    scorers.peek().is_some() && scorers.all(|(_, scorer)| scorer.reads_likelihoods())
}

/// The stated scorers with their places; what is no scorer is told by the schema.
fn scorers(draft: &Draft) -> impl Iterator<Item = (String, Scorer)> {
    let known = |value: &Value| serde_json::from_value(value.clone()).ok();
    draft.places("scorer").filter_map(move |(place, value)| Some((place, known(value)?)))
}

/// What is wrong with a cell whose answers are scored by log-likelihood.
pub(super) fn complaints(settings: &Settings, engine: Option<EngineKind>) -> Vec<Complaint> {
    let Some(scorer) = settings.scorer.get().filter(|scorer| scorer.reads_likelihoods()) else {
        return Vec::new();
    };
    let name = scorer.name();
    let mut complaints: Vec<Complaint> =
        engine.and_then(|engine| unable(&abilities(engine), name)).into_iter().collect();
    if settings.thinking.get() == Some(&true) {
        complaints.push(Complaint {
            key: "thinking",
            problem: format!(
                "the scorer `{name}` reads the answer right after the prompt, so nothing can be thought"
            ),
            remedy: "set `thinking = false`, or use a scorer of generated replies such as `choice`".into(),
        });
    }
    if settings.prefix_cache.get() == Some(&CacheState::Warm) {
        complaints.push(Complaint {
            key: "prefix_cache",
            problem: format!("the scorer `{name}` reads every prompt from an empty cache"),
            remedy: "take `prefix_cache` out".into(),
        });
    }
    complaints
}

fn unable(able: &Abilities, scorer: &str) -> Option<Complaint> {
    (!able.log_likelihoods).then(|| Complaint {
        key: "scorer",
        problem: format!(
            "engine `{}` gives no log-likelihoods, which the scorer `{scorer}` reads",
            able.name
        ),
        remedy: "use the engine `candle`, or a scorer of generated replies such as `choice`".into(),
    })
}

/// A scorer by log-likelihood in a plan that scores nothing would look like a condition and be none.
pub(super) fn check_used(plan: &Plan, draft: &Draft, source: &Source, errors: &mut Vec<PlanError>) {
    if plan.workload.is_empty() || plan.workload.iter().any(|table| table.quality) {
        return;
    }
    for (place, scorer) in scorers(draft).filter(|(_, scorer)| scorer.reads_likelihoods()) {
        let problem = format!("the scorer `{}` scores nothing: every workload only generates", scorer.name());
        let remedy = "give a workload with a task file `quality = true`, or take the scorer out";
        errors.push(source.error(&place, Part::Value, problem, remedy));
    }
}

/// Where options are read instead of replies generated there are no times to judge.
pub(super) fn check_scored_workload(
    table: &WorkloadTable,
    pointer: &str,
    draft: &Draft,
    source: &Source,
    errors: &mut Vec<PlanError>,
) {
    let reading = scorers(draft).find(|(_, scorer)| scorer.reads_likelihoods());
    let Some((_, scorer)) = reading.filter(|_| table.quality && table.timed()) else { return };
    let problem = format!(
        "workload `{}` judges times, but with the scorer `{}` no reply is generated",
        table.name,
        scorer.name()
    );
    let remedy = "take `timing` out, and time a workload of its own";
    errors.push(source.error(&format!("{pointer}/timing"), Part::Key, problem, remedy));
}

/// Checks that every stated scorer can judge these tasks, and that every stated question template can be filled in for
/// them. False where something is wrong.
pub(super) fn check_tasks(
    table: &WorkloadTable,
    set: &TaskSet,
    path: &Path,
    draft: &Draft,
    source: &Source,
    errors: &mut Vec<PlanError>,
) -> bool {
    let before = errors.len();
    let mut tell = |place: &str, error: &dyn ToString, otherwise: &str| {
        let (problem, remedy) = told(error, otherwise);
        errors.push(source.error(place, Part::Value, format!("{}: {problem}", path.display()), remedy));
    };
    for (place, scorer) in scorers(draft).filter(|_| table.quality) {
        if let Err(error) = scorer.check(set) {
            tell(&place, &error, "mend the task, or choose another scorer");
        }
    }
    for (place, template) in draft.places("question_template") {
        let conversation = Conversation { template: template.as_str(), ..Conversation::default() };
        if let Err(error) = conversation.check(set) {
            tell(&place, &error, "mend the task, or use another template");
        }
    }
    errors.len() == before
}

/// An error in two parts: what is wrong, and what to do.
pub(super) fn told(error: &dyn ToString, otherwise: &str) -> (String, String) {
    let text = error.to_string();
    match text.rsplit_once("; ") {
        Some((problem, remedy)) => (problem.to_owned(), remedy.to_owned()),
        None => (text, otherwise.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::unable;
    use crate::abilities::{Abilities, EngineKind, abilities};

    #[test]
    fn an_engine_without_log_likelihoods_is_refused_by_name_with_a_remedy() {
        let able = abilities(EngineKind::Candle);
        assert_eq!(unable(&able, "loglikelihood"), None);
        let without = Abilities { name: "elsewhere", log_likelihoods: false, ..able };
        let told = unable(&without, "loglikelihood").expect("a complaint");
        assert_eq!(told.key, "scorer");
        assert!(told.problem.contains("engine `elsewhere` gives no log-likelihoods"), "{}", told.problem);
        assert!(told.remedy.contains("`candle`"), "{}", told.remedy);
    }
}
