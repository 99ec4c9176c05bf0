//! Files that settings name beside models: they must be there, and be what they are taken for.

use super::Surroundings;
use crate::condition::NO_CHAT_TEMPLATE;
use crate::constraint::{ConstraintError, Grammar, ReplySchema};
use crate::fingerprint;
use crate::plan::error::PlanError;
use crate::plan::levels::Draft;
use crate::plan::source::{Part, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Checks every such file once, at the first place that names it.
pub(super) fn check(draft: &Draft, around: &Surroundings, source: &Source, errors: &mut Vec<PlanError>) {
    for key in ["chat_template", "few_shot_tasks", "json_schema", "grammar"] {
        let mut told = BTreeSet::new();
        let mut levels = BTreeMap::new();
        for (pointer, value) in draft.places(key) {
            let reserved = |written: &&str| key == "chat_template" && *written == NO_CHAT_TEMPLATE;
            let Some(written) = value.as_str().filter(|written| !reserved(written)) else { continue };
            if !told.insert(written.to_owned()) {
                continue;
            }
            let path = around.path(written);
            let same = pointer.starts_with("/grid/").then(|| same_as(&mut levels, &path, written)).flatten();
            if let Some((problem, remedy)) = wrong(key, &path).or(same) {
                errors.push(source.error(&pointer, Part::Value, format!("`{key}`: {problem}"), remedy));
            }
        }
    }
}

/// Two levels of a factor whose files have the same bytes are one condition: nothing could be compared.
fn same_as<'a>(
    levels: &mut BTreeMap<String, &'a str>,
    path: &Path,
    written: &'a str,
) -> Option<(String, &'static str)> {
    let content = fingerprint::of_bytes(&fs::read(path).ok()?);
    let other = levels.insert(content, written)?;
    let problem = format!("`{written}` and `{other}` have the same content, so these levels are one");
    Some((problem, "take one of them out"))
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
