//! Finding a model and reading its files, whole.

use super::EngineError;
use super::gguf::{Gguf, GgufError};
use super::pico::{Assets, assets};
use crate::fingerprint;
use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

/// Environment variable with the folder under which models are looked up after the plan's own.
pub const MODELS_VARIABLE: &str = "PLANRUN_MODELS";

/// Declared source of the embedded model; the number rises with every training that replaces it.
const PICO_SOURCE: &str = "pico 1";

/// The files of a checkpoint in the Hugging Face layout, read into memory.
#[derive(Debug)]
pub(super) struct ModelFiles {
    /// Name and revision, as declared.
    pub(super) source: String,
    /// The folder, or the name of an embedded model; error messages start with it.
    pub(super) place: PathBuf,
    /// `config.json`.
    pub(super) config: Cow<'static, str>,
    /// `generation_config.json`, where there is one.
    pub(super) generation_config: Option<String>,
    /// `tokenizer.json`.
    pub(super) tokenizer: Cow<'static, [u8]>,
    /// `tokenizer_config.json`.
    pub(super) tokenizer_config: Cow<'static, str>,
    /// `chat_template.jinja`, where there is one.
    pub(super) chat_template: Option<String>,
    /// The safetensors files, in the order of their names.
    pub(super) weights: Vec<Cow<'static, [u8]>>,
}

/// Where a model was found.
#[derive(Debug)]
pub(super) enum Found {
    /// A folder in the Hugging Face layout.
    Folder(PathBuf),
    /// A GGUF file, or a part of a split one.
    Gguf(PathBuf),
}

/// Looks a model up: relative to `base` (the plan's folder) first, then under `$PLANRUN_MODELS`.
pub(super) fn find(model: &str, base: &Path) -> Result<Found, EngineError> {
    refuse_by_name(model)?;
    let here = base.join(model);
    let models = std::env::var_os(MODELS_VARIABLE).map(|root| Path::new(&root).join(model));
    for place in [Some(&here), models.as_ref()].into_iter().flatten() {
        if place.is_dir() {
            return Ok(Found::Folder(place.clone()));
        }
        if place.is_file() {
            return as_gguf(place);
        }
    }
    let problem = match &models {
        Some(place) => format!("nor at {}", place.display()),
        None => format!("and {MODELS_VARIABLE} is not set"),
    };
    Err(EngineError::NotFound {
        path: here,
        problem,
        remedy: format!(
            "`model` is `pico`, a GGUF file or a folder with config.json, relative to the plan or under \
             ${MODELS_VARIABLE}"
        ),
    })
}

fn as_gguf(file: &Path) -> Result<Found, EngineError> {
    if file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gguf")) {
        return Ok(Found::Gguf(file.to_owned()));
    }
    Err(EngineError::Unusable {
        path: file.to_owned(),
        problem: "a single file is a model only as GGUF, with the ending .gguf".to_owned(),
        remedy: "name a GGUF file, or the folder that holds config.json and the safetensors files".to_owned(),
    })
}

fn refuse_by_name(model: &str) -> Result<(), EngineError> {
    if !model.starts_with("hf:") {
        return Ok(());
    }
    Err(EngineError::Unsupported {
        field: "model",
        problem: format!("`{model}`: models are not fetched from the hub yet"),
        remedy: "use `pico`, a GGUF file or a local Hugging Face folder".to_owned(),
    })
}

/// `gguf:NAME` with the name that the file gives its model, which files of other quantizations share, and the source that
/// it declares; where it gives none, the file's own name.
pub(super) fn source_of_gguf(gguf: &Gguf) -> Result<String, GgufError> {
    let metadata = gguf.metadata();
    let declared = match metadata.text("general.source.huggingface.repository")? {
        Some(repository) => Some(repository),
        None => metadata.text("general.source.url")?,
    };
    let file = || gguf.paths().next().and_then(Path::file_stem).unwrap_or_default().to_string_lossy();
    let name = metadata.text("general.name")?.map_or_else(file, Into::into);
    Ok(match declared {
        Some(declared) => format!("gguf:{name} from {declared}"),
        None => format!("gguf:{name}"),
    })
}

impl ModelFiles {
    /// The embedded model.
    pub(super) fn pico() -> Self {
        let Assets { weights, config, tokenizer, tokenizer_config } = assets();
        Self {
            source: PICO_SOURCE.to_owned(),
            place: PathBuf::from("pico"),
            config: config.into(),
            generation_config: None,
            tokenizer: tokenizer.as_bytes().into(),
            tokenizer_config: tokenizer_config.into(),
            chat_template: None,
            weights: vec![weights.into()],
        }
    }

    /// Reads the files of a Hugging Face model folder.
    pub(super) fn read(folder: &Path) -> Result<Self, EngineError> {
        let text = |name: &str, what: &str| read_text(folder, name, what);
        Ok(Self {
            source: source_of(folder),
            place: folder.to_owned(),
            config: text("config.json", "the sizes of the model")?.into(),
            generation_config: fs::read_to_string(folder.join("generation_config.json")).ok(),
            tokenizer: text("tokenizer.json", "the tokenizer")?.into_bytes().into(),
            tokenizer_config: text("tokenizer_config.json", "the special tokens")?.into(),
            chat_template: fs::read_to_string(folder.join("chat_template.jinja")).ok(),
            weights: read_weights(folder)?,
        })
    }

    /// SHA-256 of the one file of weights, or of the sequence of the files' hashes.
    pub(super) fn weights_fingerprint(&self) -> String {
        match self.weights.as_slice() {
            [one] => fingerprint::of_bytes(one),
            many => fingerprint::of_parts(many.iter().map(|shard| fingerprint::of_bytes(shard))),
        }
    }

    /// The path of one of the files, for messages.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.place.join(name)
    }
}

fn missing(path: PathBuf, what: &str, error: &std::io::Error) -> EngineError {
    EngineError::NotFound {
        path,
        problem: format!("{what}: {error}"),
        remedy: "take the file from the model's repository; all of config.json, tokenizer.json, \
                 tokenizer_config.json and the safetensors files are needed"
            .to_owned(),
    }
}

fn read_text(folder: &Path, name: &str, what: &str) -> Result<String, EngineError> {
    let path = folder.join(name);
    fs::read_to_string(&path).map_err(|error| missing(path, what, &error))
}

fn read_bytes(folder: &Path, name: &str) -> Result<Cow<'static, [u8]>, EngineError> {
    let path = folder.join(name);
    fs::read(&path).map(Cow::Owned).map_err(|error| missing(path, "a file of weights", &error))
}

/// `model.safetensors`, or the files that `model.safetensors.index.json` names.
fn read_weights(folder: &Path) -> Result<Vec<Cow<'static, [u8]>>, EngineError> {
    const INDEX: &str = "model.safetensors.index.json";
    let index = folder.join(INDEX);
    if !index.is_file() {
        return Ok(vec![read_bytes(folder, "model.safetensors")?]);
    }
    let names = shard_names(&read_text(folder, INDEX, "the list of weight files")?).map_err(|problem| {
        EngineError::Unusable {
            path: index,
            problem,
            remedy: "take the file from the model's repository".to_owned(),
        }
    })?;
    names.iter().map(|name| read_bytes(folder, name)).collect()
}

fn shard_names(index: &str) -> Result<Vec<String>, String> {
    #[derive(serde::Deserialize)]
    struct Index {
        weight_map: std::collections::BTreeMap<String, String>,
    }
    let index: Index = serde_json::from_str(index).map_err(|error| error.to_string())?;
    let mut names: Vec<String> = index.weight_map.into_values().collect();
    names.sort();
    names.dedup();
    match names.iter().find(|name| Path::new(name).components().count() != 1) {
        Some(name) => Err(format!("`{name}` lies outside the model's folder")),
        None => Ok(names),
    }
}

/// `hf:ORG/NAME@COMMIT` for a folder of the hub's local cache, else `folder:NAME`.
fn source_of(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mut names = folder.iter().rev().map(|part| part.to_string_lossy());
    let name = names.next().unwrap_or_default();
    let (parent, repository) = (names.next(), names.next());
    match (parent.as_deref(), repository.as_deref().and_then(|name| name.strip_prefix("models--"))) {
        (Some("snapshots"), Some(repository)) => format!("hf:{}@{name}", repository.replace("--", "/")),
        _ => format!("folder:{name}"),
    }
}
