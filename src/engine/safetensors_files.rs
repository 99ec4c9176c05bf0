//! The safetensors files of a model: which they are, mapped into memory, and what they hash to.

use super::EngineError;
use super::mapped::map;
use super::weights_hash;
use crate::fingerprint;
use memmap2::Mmap;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// The one file of a model that is not split.
pub(super) const SINGLE: &str = "model.safetensors";
/// The list of the files of a model that is.
pub(super) const INDEX: &str = "model.safetensors.index.json";

/// The files, and which tensors each must hold.
#[derive(Debug)]
pub(super) struct WeightFiles {
    /// In the order of their names.
    pub(super) files: Vec<WeightFile>,
    /// For each tensor the file that the index names; `None` for a model of one file.
    pub(super) index: Option<BTreeMap<String, String>>,
}

/// One file of weights.
#[derive(Debug)]
pub(super) struct WeightFile {
    /// Where it lies; for messages.
    pub(super) path: PathBuf,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Embedded(&'static [u8]),
    Mapped(Mmap),
}

impl WeightFile {
    /// Its bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        match &self.content {
            Content::Embedded(bytes) => bytes,
            Content::Mapped(map) => map,
        }
    }

    /// Its name in the model's folder.
    pub(super) fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    fn open(path: PathBuf) -> Result<Self, EngineError> {
        match map(&path) {
            Ok(map) => Ok(Self { path, content: Content::Mapped(map) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(missing(path, &error)),
            Err(error) => Err(unreadable(path, &error)),
        }
    }
}

impl WeightFiles {
    /// Weights that are part of the program.
    pub(super) fn embedded(bytes: &'static [u8]) -> Self {
        let file = WeightFile { path: PathBuf::from(SINGLE), content: Content::Embedded(bytes) };
        Self { files: vec![file], index: None }
    }

    /// `model.safetensors`, or without it the files that `model.safetensors.index.json` names.
    pub(super) fn open(folder: &Path) -> Result<Self, EngineError> {
        let (single, list) = (folder.join(SINGLE), folder.join(INDEX));
        if single.exists() || !list.exists() {
            return Ok(Self { files: vec![WeightFile::open(single)?], index: None });
        }
        let text = std::fs::read_to_string(&list).map_err(|error| unreadable(list.clone(), &error))?;
        let index = read_index(&text).map_err(|problem| EngineError::Unusable {
            path: list,
            problem,
            remedy: "take the file from the model's repository".to_owned(),
        })?;
        let open = |name: String| WeightFile::open(folder.join(name));
        let files = shards(&index).into_iter().map(open).collect::<Result<_, _>>()?;
        Ok(Self { files, index: Some(index) })
    }

    /// The one file, or the folder of several.
    pub(super) fn place<'a>(&'a self, folder: &'a Path) -> &'a Path {
        match self.files.as_slice() {
            [one] => &one.path,
            _ => folder,
        }
    }

    /// SHA-256 of the one file, or of the sequence of the files' hashes. Files hashed before are looked up in the user's
    /// cache.
    pub(super) fn fingerprint(&self) -> Result<String, EngineError> {
        if let [WeightFile { content: Content::Embedded(bytes), .. }] = self.files.as_slice() {
            return Ok(fingerprint::of_bytes(bytes));
        }
        let paths: Vec<&Path> = self.files.iter().map(|file| file.path.as_path()).collect();
        weights_hash::of_files(&paths).map_err(|(path, error)| unreadable(path, &error))
    }
}

/// For each tensor the name of its file; the error says what is wrong.
pub(super) fn read_index(text: &str) -> Result<BTreeMap<String, String>, String> {
    #[derive(Deserialize)]
    struct Index {
        weight_map: WeightMap,
    }
    let index: Index = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let map = index.weight_map.0;
    if map.is_empty() {
        return Err("its `weight_map` names no tensor".to_owned());
    }
    let outside = |name: &&String| !is_plain(name) || !name.ends_with(".safetensors");
    match map.values().find(outside) {
        Some(name) => Err(format!("`{}` is no safetensors file in the model's folder", name.escape_debug())),
        None => Ok(map),
    }
}

/// True for the name of a file that stands beside its index.
fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    let first = parts.next();
    matches!(first, Some(std::path::Component::Normal(part)) if part == name) && !name.contains(['\\', '\0'])
}

/// The names of the files, each once.
pub(super) fn shards(index: &BTreeMap<String, String>) -> BTreeSet<String> {
    index.values().cloned().collect()
}

/// A map whose keys come once: a second place for a tensor would hide the first.
struct WeightMap(BTreeMap<String, String>);

impl<'de> Deserialize<'de> for WeightMap {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OnceEach).map(Self)
    }
}

struct OnceEach;

impl<'de> serde::de::Visitor<'de> for OnceEach {
    type Value = BTreeMap<String, String>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a map from tensors to files")
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((tensor, file)) = entries.next_entry::<String, String>()? {
            if let Some(other) = map.insert(tensor.clone(), file.clone())
                && other != file
            {
                let problem = format!("tensor `{tensor}` is said to be in `{other}` and in `{file}`");
                return Err(serde::de::Error::custom(problem));
            }
        }
        Ok(map)
    }
}

fn missing(path: PathBuf, error: &io::Error) -> EngineError {
    EngineError::NotFound {
        path,
        problem: format!("a file of weights: {error}"),
        remedy: "take all safetensors files from the model's repository".to_owned(),
    }
}

fn unreadable(path: PathBuf, error: &io::Error) -> EngineError {
    EngineError::Unusable {
        path,
        problem: format!("the file cannot be read: {error}"),
        remedy: "check who may read it".to_owned(),
    }
}
