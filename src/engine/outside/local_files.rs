//! The files of a model that another program computes: what they say of its prompts and of its weights.

use crate::abilities::PICO;
use crate::condition::{Observed, Settings};
use crate::engine::EngineError;
use crate::engine::gguf::Gguf;
use crate::engine::model_files::{self, Found, ModelFiles};
use crate::engine::prompts::Prompts;
use crate::engine::shares::in_words;
use safetensors::SafeTensors;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A model's files on this machine.
#[derive(Debug)]
pub(in crate::engine) struct LocalFiles {
    /// The GGUF file (the first, of a split model) or the folder.
    pub(in crate::engine) path: PathBuf,
    /// How prompts are written.
    pub(in crate::engine) prompts: Prompts,
    /// Source, weights, their format, tokenizer, template. What a program does with them is not in it.
    pub(in crate::engine) observed: Observed,
}

impl LocalFiles {
    /// Opens the model called `name`; `base` is the plan's folder.
    ///
    /// # Errors
    /// When there is no such model, its files are not as they must be, or the settings ask for a quantization that the
    /// weights do not have.
    pub(in crate::engine) fn open(name: &str, settings: &Settings, base: &Path) -> Result<Self, EngineError> {
        if name == PICO {
            return Err(EngineError::Unsupported {
                field: "model",
                problem: "the embedded model has no files that another program could read".to_owned(),
                remedy: "name a GGUF file or a folder, or use the engine `candle`".to_owned(),
            });
        }
        let mut files = match model_files::find(name, base)? {
            Found::Gguf(file) => Self::of_gguf(&Gguf::open(&file)?, file, settings, base)?,
            Found::Folder(folder) => Self::of_folder(&ModelFiles::read(&folder)?, folder, settings, base)?,
        };
        files.prompts.observe(&mut files.observed);
        Ok(files)
    }

    /// What the files say of the prompts alone: what a server holds as weights that somebody else started, nobody has read.
    pub(in crate::engine) fn observed_prompts(&self) -> Observed {
        let Observed { tokenizer, chat_template, template_date, special_tokens, .. } = self.observed.clone();
        Observed { tokenizer, chat_template, template_date, special_tokens, ..Observed::default() }
    }

    /// What a server that is sent text puts before it by itself: a rendered prompt goes without, or it would stand there twice.
    pub(in crate::engine) fn added_there(&self) -> Option<String> {
        self.prompts.vocabulary.bos_text()
    }

    fn of_gguf(gguf: &Gguf, path: PathBuf, settings: &Settings, base: &Path) -> Result<Self, EngineError> {
        let rows = gguf.tensor("token_embd.weight").and_then(|table| table.shape().get(1).copied());
        let observed = Observed {
            source: model_files::source_of_gguf(gguf)?.into(),
            weights: gguf.weights_fingerprint()?.into(),
            quantization: scheme_of_gguf(gguf).into(),
            bits_per_weight: gguf.bits_per_weight().map_or_else(Default::default, Into::into),
            file_format: "gguf".to_owned().into(),
            ..Observed::default()
        };
        let prompts = Prompts::of_gguf(gguf, rows.unwrap_or_default(), settings, base)?;
        Ok(Self { path, prompts, observed })
    }

    fn of_folder(
        files: &ModelFiles,
        path: PathBuf,
        settings: &Settings,
        base: &Path,
    ) -> Result<Self, EngineError> {
        let config: Value = serde_json::from_str(&files.config)
            .map_err(|error| files.wrong("config.json", error.to_string()))?;
        let stored = Stored::of(files)?;
        let observed = Observed {
            source: files.source.clone().into(),
            weights: files.weights.fingerprint()?.into(),
            quantization: packed(&config).unwrap_or_else(|| in_words(stored.matrices)).into(),
            bits_per_weight: (stored.bytes as f64 * 8.0 / stored.elements.max(1) as f64).into(),
            file_format: "safetensors".to_owned().into(),
            ..Observed::default()
        };
        let rows = config.get("vocab_size").and_then(Value::as_u64).unwrap_or_default() as usize;
        let prompts = Prompts::of_folder(files, rows, settings, base)?;
        Ok(Self { path, prompts, observed })
    }
}

/// The formats of the layers' matrices, named as the in-process engine names them.
pub(in crate::engine) fn scheme_of_gguf(gguf: &Gguf) -> String {
    let matrices =
        gguf.tensors().filter(|tensor| tensor.name().starts_with("blk.") && tensor.shape().len() > 1);
    let mut shares: BTreeMap<String, usize> = BTreeMap::new();
    for matrix in matrices {
        *shares.entry(matrix.ggml_type().name().to_lowercase()).or_default() += matrix.elements();
    }
    in_words(shares.into_iter().collect())
}

/// MLX's own way of packing weights, by the sizes that `config.json` gives.
fn packed(config: &Value) -> Option<String> {
    let packing = config.get("quantization")?;
    let (bits, group) = (packing.get("bits")?.as_u64()?, packing.get("group_size")?.as_u64()?);
    Some(format!("mlx {bits} bits, groups of {group}"))
}

/// What the tensors of safetensors files are stored in.
#[derive(Default)]
struct Stored {
    matrices: Vec<(String, usize)>,
    elements: usize,
    bytes: usize,
}

impl Stored {
    fn of(files: &ModelFiles) -> Result<Self, EngineError> {
        let mut stored = Self::default();
        let mut matrices: BTreeMap<String, usize> = BTreeMap::new();
        for file in &files.weights.files {
            let tensors = SafeTensors::deserialize(file.bytes())
                .map_err(|error| files.wrong(file.name(), error.to_string()))?;
            for (name, tensor) in tensors.iter() {
                let elements: usize = tensor.shape().iter().product();
                stored.elements += elements;
                stored.bytes += tensor.data().len();
                if name.contains("layers.") && tensor.shape().len() > 1 {
                    *matrices.entry(format!("{:?}", tensor.dtype()).to_lowercase()).or_default() += elements;
                }
            }
        }
        stored.matrices = matrices.into_iter().collect();
        Ok(stored)
    }
}
