//! The files around a plan: task files, local models.

use crate::abilities::{LookUp, ModelFacts};
use crate::fingerprint;
use crate::plan::document::Plan;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Where a plan's files are looked for, and what is known of its models.
#[derive(Debug)]
pub(in crate::plan) struct Surroundings {
    /// The folder that the plan stands in.
    folder: PathBuf,
    /// By the names that the plan uses.
    models: BTreeMap<String, ModelFacts>,
}

impl Surroundings {
    /// The surroundings of a plan file.
    pub(in crate::plan) fn of(path: &Path, plan: &Plan, look_up: LookUp) -> Self {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let named = named_files(plan).into_iter().filter(|(key, _)| is_model(key));
        let models = named.map(|(_, name)| (name.clone(), look_up(&name, &folder)));
        Self { models: models.collect(), folder }
    }

    /// A path of the plan, relative to its folder.
    pub(super) fn path(&self, written: &str) -> PathBuf {
        self.folder.join(written)
    }

    /// What is known of a model that the plan names.
    pub(super) fn model(&self, name: &str) -> Option<&ModelFacts> {
        self.models.get(name)
    }

    /// Fingerprints of the models that are files.
    pub(in crate::plan) fn model_fingerprints(&self) -> BTreeMap<String, String> {
        let known = self.models.iter();
        known.filter_map(|(name, facts)| Some((name.clone(), facts.fingerprint.clone()?))).collect()
    }

    /// Fingerprints of what the plan's files say: templates, few-shot files, local models.
    pub(in crate::plan) fn files(&self, plan: &Plan) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        for (key, written) in named_files(plan) {
            let fingerprint = match key.as_str() {
                key if is_model(key) => self.model(&written).and_then(|facts| facts.fingerprint.clone()),
                _ => fingerprint::of_file(&self.path(&written)).ok(),
            };
            found.extend(fingerprint.map(|fingerprint| (written, fingerprint)));
        }
        found
    }
}

/// Every value of a key that names a file.
fn named_files(plan: &Plan) -> BTreeSet<(String, String)> {
    let mut tables: Vec<&Map<String, Value>> = vec![&plan.settings.0];
    tables.extend(plan.deployments.values().map(|table| &table.0));
    let mut named = BTreeSet::new();
    for (factor, levels) in &plan.grid.factors {
        for level in levels.as_array().into_iter().flatten() {
            tables.extend(level.as_object());
            named.extend(file(factor, level));
        }
    }
    named.extend(tables.into_iter().flatten().filter_map(|(key, value)| file(key, value)));
    named
}

fn is_model(key: &str) -> bool {
    matches!(key, "model" | "model_files" | "speculation")
}

fn file(key: &str, value: &Value) -> Option<(String, String)> {
    let written = value.as_str()?;
    let name = match key {
        "model" | "model_files" | "chat_template" | "few_shot_tasks" | "json_schema" | "grammar" => written,
        // The model that guesses ahead; other words name no file.
        "speculation" => written.strip_prefix("draft:")?,
        _ => return None,
    };
    Some((key.to_owned(), name.to_owned()))
}
