//! Which files of a repository a model needs, and which of them are here.

use super::error::Trouble;
use super::listing::{Listed, Listing};
use crate::engine::gguf::paths_of_parts;
use crate::engine::safetensors_files::{INDEX, SINGLE, read_index, shards};
use crate::hub_cache::{HubCache, HubName};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files that a checkpoint may have; each changes prompts or replies, so that it must be known whether it exists.
const OPTIONAL: [&str; 2] = ["generation_config.json", "chat_template.jinja"];
/// Files without which there is no model, besides the weights.
const REQUIRED: [&str; 3] = ["tokenizer_config.json", "tokenizer.json", "config.json"];

/// The files of one commit in the cache.
pub(super) struct Snapshot<'a> {
    pub(super) cache: &'a HubCache,
    pub(super) name: &'a HubName,
    pub(super) commit: String,
}

/// How much of a model is here.
pub(super) enum Held {
    /// All of it.
    Whole,
    /// All that it needs; of these files nobody has noted whether the repository has them.
    Doubtful(Vec<&'static str>),
    /// This file is missing.
    Lacking(String),
}

impl Snapshot<'_> {
    pub(super) fn folder(&self) -> PathBuf {
        self.cache.snapshot(self.name, &self.commit)
    }

    pub(super) fn has(&self, file: &str) -> bool {
        self.folder().join(file).is_file()
    }

    pub(super) fn held(&self) -> Held {
        if let Some(missing) = self.missing() {
            return Held::Lacking(missing);
        }
        let noted = |file: &str| self.has(file) || self.cache.absence(self.name, &self.commit, file).exists();
        let optional = OPTIONAL.into_iter().filter(|_| self.name.file.is_none());
        let unknown: Vec<_> = optional.filter(|file| !noted(file)).collect();
        if unknown.is_empty() { Held::Whole } else { Held::Doubtful(unknown) }
    }

    fn missing(&self) -> Option<String> {
        let needed = match &self.name.file {
            Some(file) => parts(file).unwrap_or_else(|_| vec![file.clone()]),
            None => REQUIRED.map(str::to_owned).into_iter().chain(self.weights()).collect(),
        };
        needed.into_iter().find(|file| !self.has(file))
    }

    /// The one file of weights, or each one on the list of them.
    fn weights(&self) -> Vec<String> {
        if self.has(SINGLE) || !self.has(INDEX) {
            return vec![SINGLE.to_owned()];
        }
        self.shards().map_or_else(|_| vec![SINGLE.to_owned()], |names| names.into_iter().collect())
    }

    /// Names of the files in the list of weights, which is here.
    pub(super) fn shards(&self) -> Result<BTreeSet<String>, Trouble> {
        let path = self.folder().join(INDEX);
        let text = std::fs::read_to_string(&path)
            .map_err(|problem| Trouble::Cache { path: path.clone(), problem })?;
        let index = read_index(&text).map_err(|problem| Trouble::Answer(format!("{INDEX}: {problem}")))?;
        Ok(shards(&index))
    }

    /// Notes which files the repository does not have.
    pub(super) fn note_absences(&self, listing: &Listing) -> Result<(), Trouble> {
        for file in
            OPTIONAL.into_iter().filter(|file| self.name.file.is_none() && listing.find(file).is_none())
        {
            let path = self.cache.absence(self.name, &self.commit, file);
            let folder = path.parent().unwrap_or(&path);
            let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, ""));
            written.map_err(|problem| Trouble::Cache { path, problem })?;
        }
        Ok(())
    }
}

/// The files to have, small ones first: whoever finds the weights finds the rest. Of split weights only the list.
pub(super) fn wanted(listing: &Listing, name: &HubName) -> Result<Vec<Listed>, Trouble> {
    let need = |file: &str| listing.find(file).cloned().ok_or_else(|| lacks(listing, file));
    if let Some(file) = &name.file {
        return parts(file)?.iter().map(|part| need(part)).collect();
    }
    let optional = OPTIONAL.into_iter().filter_map(|file| listing.find(file).cloned()).map(Ok);
    let weights =
        if listing.find(SINGLE).is_none() && listing.find(INDEX).is_some() { INDEX } else { SINGLE };
    optional.chain(REQUIRED.into_iter().chain([weights]).map(need)).collect()
}

/// A GGUF file and all other parts of its model.
fn parts(file: &str) -> Result<Vec<String>, Trouble> {
    let paths = paths_of_parts(Path::new(file)).map_err(|error| Trouble::Lacks(error.flaw.to_string()))?;
    Ok(paths.into_iter().map(|path| path.to_string_lossy().into_owned()).collect())
}

/// A file that must be there is not: what else the repository has.
pub(super) fn lacks(listing: &Listing, file: &str) -> Trouble {
    const SHOWN: usize = 8;
    let gguf = |file: &&Listed| Path::new(&file.name).extension().is_some_and(|ending| ending == "gguf");
    let mut others: Vec<String> =
        listing.files.iter().filter(gguf).take(SHOWN + 1).map(|file| format!("`{}`", file.name)).collect();
    if others.len() > SHOWN {
        others[SHOWN] = String::from("...");
    }
    let others = if others.is_empty() { "none".to_owned() } else { others.join(", ") };
    Trouble::Lacks(format!("the repository has no `{file}`; GGUF files in it: {others}"))
}
