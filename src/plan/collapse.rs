//! Settings that cannot act: in a cell because of its other settings, in a workload because of what it asks for. Cells that
//! differ only in such settings are the same run.

use super::levels::{Draft, DraftFactor};
use crate::condition::{Settings, Stated};
use std::collections::HashMap;

/// Keys that can be without effect in a cell.
const CONDITIONAL: &[&str] =
    &["top_k", "top_p", "seed", "thinking_effort", "thinking_budget", "few_shot_tasks"];

/// Keys that say how a reply is generated.
const OF_GENERATION: &[&str] = &["temperature", "top_k", "top_p", "seed", "max_tokens", "ignore_eos"];

/// Keys that a timing workload of fixed prompt and generation length does not know: no conversation is rendered, nothing
/// is scored, and the model's end of turn is ignored.
const UNKNOWN_TO_FIXED_LENGTH: &[&str] = &[
    "thinking",
    "thinking_effort",
    "thinking_budget",
    "system_prompt",
    "question_template",
    "few_shot",
    "few_shot_tasks",
    "chat_template",
    "template_date",
    "scorer",
    "max_tokens",
    "ignore_eos",
    "json_schema",
    "grammar",
];

/// The keys of settings that a workload does not know, by whether it has a task file and whether it scores.
pub(super) fn unknown_to(tasks: bool, quality: bool) -> &'static [&'static str] {
    match (tasks, quality) {
        (false, _) => UNKNOWN_TO_FIXED_LENGTH,
        (true, false) => &["scorer"],
        (true, true) => &[],
    }
}

/// The factors that set nothing but these keys.
pub(super) fn inert_factors(draft: &Draft, keys: &[&str]) -> Vec<bool> {
    draft.factors.iter().map(|factor| sets_only(factor, keys)).collect()
}

fn sets_only(factor: &DraftFactor, keys: &[&str]) -> bool {
    factor.keys().all(|key| keys.contains(&key))
}

/// Settings with the keys that a workload does not know taken back to unset.
pub(super) fn without(settings: &Settings, keys: &[&str]) -> Settings {
    let mut rest = settings.clone();
    for key in keys {
        match *key {
            "thinking" => rest.thinking = Stated::Unset,
            "thinking_effort" => rest.thinking_effort = Stated::Unset,
            "thinking_budget" => rest.thinking_budget = Stated::Unset,
            "system_prompt" => rest.system_prompt = Stated::Unset,
            "question_template" => rest.question_template = Stated::Unset,
            "few_shot" => rest.few_shot = Stated::Unset,
            "few_shot_tasks" => rest.few_shot_tasks = Stated::Unset,
            "chat_template" => rest.chat_template = Stated::Unset,
            "template_date" => rest.template_date = Stated::Unset,
            "scorer" => rest.scorer = Stated::Unset,
            "max_tokens" => rest.max_tokens = Stated::Unset,
            "ignore_eos" => rest.ignore_eos = Stated::Unset,
            "json_schema" => rest.json_schema = Stated::Unset,
            "grammar" => rest.grammar = Stated::Unset,
            _ => {}
        }
    }
    rest
}

/// Remembers which cells there are, with the levels that cannot act left out.
pub(super) struct Seen {
    /// For each factor, whether it could be without effect at all.
    candidates: Vec<bool>,
    cells: HashMap<Vec<u16>, u32>,
}

impl Seen {
    pub(super) fn new(draft: &Draft) -> Self {
        let of_generation = OF_GENERATION.iter().filter(|_| draft.only_scored);
        let keys: Vec<&str> = CONDITIONAL.iter().chain(of_generation).copied().collect();
        Self { candidates: inert_factors(draft, &keys), cells: HashMap::new() }
    }

    /// The earlier cell that this one cannot be told from; else notes it as `index`.
    pub(super) fn equal_cell(
        &mut self,
        draft: &Draft,
        levels: &[u16],
        settings: &Settings,
        index: u32,
    ) -> Option<u32> {
        if !self.candidates.contains(&true) {
            return None;
        }
        let mut inert = without_effect(settings);
        if draft.only_scored && settings.scorer.get().is_some_and(|scorer| scorer.reads_likelihoods()) {
            inert.extend(OF_GENERATION);
        }
        let mut acting = levels.to_vec();
        for (position, factor) in draft.factors.iter().enumerate() {
            if self.candidates[position] && sets_only(factor, &inert) {
                acting[position] = 0;
            }
        }
        let known = *self.cells.entry(acting).or_insert(index);
        (known != index).then_some(known)
    }
}

/// The keys that cannot act beside the other settings: greedy decoding draws nothing, thinking that is off has no grade
/// and no budget, and no examples come from no file.
fn without_effect(settings: &Settings) -> Vec<&'static str> {
    let mut keys = Vec::new();
    if settings.temperature.get() == Some(&0.0) {
        keys.extend(["top_k", "top_p", "seed"]);
    }
    if settings.thinking.get() == Some(&false) {
        keys.extend(["thinking_effort", "thinking_budget"]);
    }
    if settings.few_shot.or(0) == 0 {
        keys.push("few_shot_tasks");
    }
    keys
}
