//! The files around a plan: task files, local models.

use crate::fingerprint;
use crate::plan::document::Plan;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Name of the variable that holds the folder of models.
const MODELS_VARIABLE: &str = "PLANRUN_MODELS";

/// Where a plan's files are looked for.
#[derive(Debug, Clone)]
pub(in crate::plan) struct Surroundings {
    /// The folder that the plan stands in.
    folder: PathBuf,
    /// The folder of models, where one is declared.
    models: Option<PathBuf>,
}

impl Surroundings {
    /// The surroundings of a plan file.
    pub(in crate::plan) fn of(plan: &Path) -> Self {
        let folder = plan.parent().unwrap_or(Path::new("")).to_owned();
        Self { folder, models: std::env::var_os(MODELS_VARIABLE).map(PathBuf::from) }
    }

    /// A path of the plan, relative to its folder.
    pub(super) fn path(&self, written: &str) -> PathBuf {
        self.folder.join(written)
    }

    /// The folder of a local model that is there: beside the plan, then among the models.
    pub(super) fn model_folder(&self, model: &str) -> Option<PathBuf> {
        let beside = self.folder.join(model);
        let among = self.models.as_ref().map(|models| models.join(model));
        [Some(beside), among].into_iter().flatten().find(|path| path.join("config.json").is_file())
    }

    /// Fingerprints of what the plan's files say: templates, few-shot files, and the configuration of local models with
    /// the sizes of their weight files.
    pub(in crate::plan) fn files(&self, plan: &Plan) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        for (key, written) in named_files(plan) {
            let fingerprint = match key.as_str() {
                "model" => self.model_folder(&written).map(|folder| model_identity(&folder)),
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

fn file(key: &str, value: &Value) -> Option<(String, String)> {
    let names_file = matches!(key, "model" | "chat_template" | "few_shot_tasks");
    value.as_str().filter(|_| names_file).map(|written| (key.to_owned(), written.to_owned()))
}

/// Configuration and sizes of the weight files: cheap to read, and another model has others.
fn model_identity(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let weights = entries.filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let extension = Path::new(&name).extension()?;
        let is_weights = extension == "safetensors" || extension == "gguf";
        is_weights.then(|| format!("{name} {}", entry.metadata().map(|data| data.len()).unwrap_or_default()))
    });
    let mut parts: Vec<String> = weights.collect();
    parts.sort();
    parts.extend(fingerprint::of_file(&folder.join("config.json")).ok());
    fingerprint::of_parts(parts)
}
