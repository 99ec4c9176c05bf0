//! Finding a model, and the files of a folder in the Hugging Face layout.

use super::EngineError;
use super::gguf::{Gguf, GgufError};
use super::pico::{Assets, assets};
use super::safetensors_files::WeightFiles;
use crate::hub_cache::{HubCache, HubName, endpoint};
use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Environment variable with the folder under which models are looked up after the plan's own.
pub const MODELS_VARIABLE: &str = "PLANRUN_MODELS";

/// Declared source of the embedded model; the number rises with every training that replaces it.
const PICO_SOURCE: &str = "pico 1";

/// The files of a checkpoint in the Hugging Face layout: small ones read into memory, weights mapped.
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
    /// The safetensors files.
    pub(super) weights: WeightFiles,
}

/// Where a model was found.
#[derive(Debug)]
pub(super) enum Found {
    /// A folder in the Hugging Face layout.
    Folder(PathBuf),
    /// A GGUF file, or a part of a split one.
    Gguf(PathBuf),
}

/// Looks a model up: relative to `base` (the plan's folder) first, then under `$PLANRUN_MODELS`; a model of the hub in the
/// hub's cache.
pub(super) fn find(model: &str, base: &Path) -> Result<Found, EngineError> {
    if let Some(name) = HubName::parse(model) {
        return find_in_cache(&name.map_err(|problem| no_hub_name(model, &problem))?);
    }
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
            "`model` is `pico`, `hf:ORG/NAME@COMMIT`, a GGUF file or a folder with config.json, relative to the plan or \
             under ${MODELS_VARIABLE}"
        ),
    })
}

/// What was fetched before; an engine makes no request itself.
fn find_in_cache(name: &HubName) -> Result<Found, EngineError> {
    let cache = HubCache::from_environment();
    let folder = cache.as_ref().and_then(|cache| cache.find(name));
    let found = folder.map(|folder| name.file.as_ref().map_or(folder.clone(), |file| folder.join(file)));
    let Some(found) = found.filter(|place| place.exists()) else {
        return Err(EngineError::NotFound {
            path: cache.map_or_else(PathBuf::new, |cache| cache.repository(name)),
            problem: format!("`{name}` has not been fetched"),
            remedy: format!("`planrun run PLAN --allow-net` fetches it from {}", endpoint()),
        });
    };
    if name.file.is_some() { as_gguf(&found) } else { Ok(Found::Folder(found)) }
}

fn no_hub_name(model: &str, problem: &str) -> EngineError {
    EngineError::Unsupported {
        field: "model",
        problem: format!("`{model}`: {problem}"),
        remedy: HubName::REMEDY.to_owned(),
    }
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

/// `gguf:NAME` with the name that the file gives its model, which files of other quantizations share, and its source: the
/// commit of the hub that it was fetched from, else what it declares; where it gives no name, the file's own.
pub(super) fn source_of_gguf(gguf: &Gguf) -> Result<String, GgufError> {
    let metadata = gguf.metadata();
    let file = gguf.paths().next().unwrap_or(Path::new(""));
    let declared = match metadata.text("general.source.huggingface.repository")? {
        Some(repository) => Some(repository),
        None => metadata.text("general.source.url")?,
    };
    let source = file.ancestors().find_map(snapshot).or(declared.map(str::to_owned));
    let stem = || file.file_stem().unwrap_or_default().to_string_lossy();
    let name = metadata.text("general.name")?.map_or_else(stem, Into::into);
    Ok(match source {
        Some(source) => format!("gguf:{name} from {source}"),
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
            weights: WeightFiles::embedded(weights),
        }
    }

    /// Reads the files of a Hugging Face model folder.
    pub(super) fn read(folder: &Path) -> Result<Self, EngineError> {
        let text = |name: &str, what: &str| read_text(folder, name, what);
        Ok(Self {
            source: source_of(folder),
            place: folder.to_owned(),
            config: text("config.json", "the sizes of the model")?.into(),
            generation_config: read_optional(folder, "generation_config.json")?,
            tokenizer: text("tokenizer.json", "the tokenizer")?.into_bytes().into(),
            tokenizer_config: text("tokenizer_config.json", "the special tokens")?.into(),
            chat_template: read_optional(folder, "chat_template.jinja")?,
            weights: WeightFiles::open(folder)?,
        })
    }

    /// An error in one of the files.
    pub(super) fn wrong(&self, name: &str, problem: String) -> EngineError {
        wrong(self.path(name), problem)
    }

    /// The path of one of the files, for messages.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.place.join(name)
    }
}

fn read_text(folder: &Path, name: &str, what: &str) -> Result<String, EngineError> {
    let path = folder.join(name);
    fs::read_to_string(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => EngineError::NotFound {
            path,
            problem: format!("{what}: {error}"),
            remedy: "take the file from the model's repository; all of config.json, tokenizer.json, \
                     tokenizer_config.json and the safetensors files are needed"
                .to_owned(),
        },
        _ => wrong(path, error.to_string()),
    })
}

fn read_optional(folder: &Path, name: &str) -> Result<Option<String>, EngineError> {
    let path = folder.join(name);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(wrong(path, error.to_string())),
    }
}

/// A file that is not as it must be.
pub(super) fn wrong(path: PathBuf, problem: String) -> EngineError {
    EngineError::Unusable {
        path,
        problem,
        remedy: "take the file from the model's own repository".to_owned(),
    }
}

/// `hf:ORG/NAME@COMMIT` for a folder of the hub's local cache, else `folder:NAME`.
fn source_of(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = || folder.file_name().unwrap_or_default().to_string_lossy();
    snapshot(&folder).unwrap_or_else(|| format!("folder:{}", name()))
}

/// `hf:ORG/NAME@COMMIT` for `models--ORG--NAME/snapshots/COMMIT`.
fn snapshot(folder: &Path) -> Option<String> {
    let mut names = folder.iter().rev().map(|part| part.to_str());
    let (commit, parent, repository) = (names.next()??, names.next()??, names.next()??);
    let repository = repository.strip_prefix("models--").filter(|_| parent == "snapshots")?;
    Some(format!("hf:{}@{commit}", repository.replace("--", "/")))
}
