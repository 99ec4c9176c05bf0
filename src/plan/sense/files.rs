//! Files that settings name beside models: they must be there, and be what they are taken for.

use super::Surroundings;
use crate::condition::NO_CHAT_TEMPLATE;
use crate::constraint::{ConstraintError, Grammar, ReplySchema};
use crate::plan::error::PlanError;
use crate::plan::levels::Draft;
use crate::plan::source::{Part, Source};
use std::collections::BTreeSet;
use std::path::Path;

/// Checks every such file once, at the first place that names it.
pub(super) fn check(draft: &Draft, around: &Surroundings, source: &Source, errors: &mut Vec<PlanError>) {
    for key in ["chat_template", "few_shot_tasks", "json_schema", "grammar"] {
        let mut told = BTreeSet::new();
        for (pointer, value) in draft.places(key) {
            let reserved = |written: &&str| key == "chat_template" && *written == NO_CHAT_TEMPLATE;
            let Some(written) = value.as_str().filter(|written| !reserved(written)) else { continue };
            if !told.insert(written.to_owned()) {
                continue;
            }
            if let Some((problem, remedy)) = wrong(key, &around.path(written)) {
                errors.push(source.error(&pointer, Part::Value, format!("`{key}`: {problem}"), remedy));
            }
        }
    }
}

/// What is wrong with the file of a key, and what to do.
fn wrong(key: &str, path: &Path) -> Option<(String, &'static str)> {
    if !path.is_file() {
        return Some((format!("there is no file {}", path.display()), "paths are relative to the plan"));
    }
    let told = |error: ConstraintError| (format!("{}: {}", path.display(), error.problem), error.remedy);
    match key {
        "json_schema" => ReplySchema::read(path).err().map(told),
        "grammar" => Grammar::read(path).err().map(told),
        _ => None,
    }
}
