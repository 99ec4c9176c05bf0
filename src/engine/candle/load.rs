//! From settings to a model, its vocabulary and its template.

use super::architecture::{self, Architecture};
use super::build::{build_flags, runtime};
use super::checkpoint::{Checkpoint, CheckpointError, HuggingFace, LayerPart, Part};
use super::decoder::Decoder;
use super::engine::DEFAULT_CHUNK;
use super::footprint::footprint;
use super::model::Model;
use super::scheme::{known_schemes, name_of, scheme};
use super::support::{context_length, unsupported};
use super::upstream::{self, Description};
use super::weights::Weights;
use crate::abilities::Footprint;
use crate::condition::{CacheState, Observed, REQUANTIZED_FROM, Runtime, Settings, Stated};
use crate::engine::EngineError;
use crate::engine::gguf::Gguf;
use crate::engine::model_files::{self, Found, ModelFiles};
use crate::engine::prompts::Prompts;
use candle_core::quantized::GgmlDType;
use std::path::{Path, PathBuf};

/// Name of the embedded model in a plan.
const PICO: &str = "pico";

/// Everything an engine needs of a model.
pub(super) struct Loaded {
    pub(super) model: Box<dyn Model>,
    pub(super) prompts: Prompts,
    pub(super) observed: Observed,
    /// Memory, foreseen before the weights were read.
    pub(super) footprint: Footprint,
}

/// A model that is ready to compute, and what is recorded of how it does.
pub(super) struct Ready {
    pub(super) model: Box<dyn Model>,
    /// Format of the weights as held in memory.
    pub(super) scheme: String,
    /// Bits per weight as held in memory, over all parameters.
    pub(super) bits_per_weight: f64,
    /// Whose code it is.
    pub(super) runtime: Runtime,
    /// Prompt tokens per forward pass; unset where a prompt is read in one.
    pub(super) prefill_chunk: Stated<u32>,
    /// Memory, foreseen before the weights were read.
    pub(super) footprint: Footprint,
}

/// A model's files, opened.
enum Source {
    Folder(ModelFiles),
    Gguf(Gguf, PathBuf),
}

/// Loads the model that the settings name and quantizes it as they ask; `base` is the plan's folder.
pub(super) fn load(settings: &Settings, base: &Path) -> Result<Loaded, EngineError> {
    match open(settings, base)? {
        Source::Folder(files) => load_folder(&files, settings, base),
        Source::Gguf(gguf, file) => load_gguf(&gguf, &file, settings, base),
    }
}

/// Memory that the model will need, without reading its weights.
pub(crate) fn foresee(settings: &Settings, base: &Path) -> Result<Footprint, EngineError> {
    match open(settings, base)? {
        Source::Folder(files) => foreseen_folder(&files, settings),
        Source::Gguf(gguf, file) => foreseen(&gguf, &shape_of_gguf(&gguf, &file)?, settings, &file),
    }
}

fn foreseen_folder(files: &ModelFiles, settings: &Settings) -> Result<Footprint, EngineError> {
    if let Some(description) = of_upstream(files)? {
        return upstream::foresee(&description, &checkpoint(files, false)?, settings);
    }
    let shape = shape_of_folder(files)?;
    foreseen(&checkpoint(files, shape.norms_after)?, &shape, settings, files.weights.place(&files.place))
}

fn open(settings: &Settings, base: &Path) -> Result<Source, EngineError> {
    match settings.model.get().map(String::as_str) {
        None => {
            let remedy = "set it to `pico`, a GGUF file, a folder or `hf:ORG/NAME@COMMIT`";
            Err(unsupported("model", "no model is named".to_owned(), remedy))
        }
        Some(PICO) => Ok(Source::Folder(ModelFiles::pico())),
        Some(model) => match model_files::find(model, base)? {
            Found::Folder(folder) => ModelFiles::read(&folder).map(Source::Folder),
            Found::Gguf(file) => Ok(Source::Gguf(Gguf::open(&file)?, file)),
        },
    }
}

fn load_folder(files: &ModelFiles, settings: &Settings, base: &Path) -> Result<Loaded, EngineError> {
    let ready = ready_folder(files, settings)?;
    let prompts = Prompts::of_folder(files, ready.model.vocabulary(), settings, base)?;
    let observed = Observed {
        source: files.source.clone().into(),
        weights: files.weights.fingerprint()?.into(),
        file_format: "safetensors".to_owned().into(),
        ..observe(&ready, &prompts)
    };
    Ok(Loaded { model: ready.model, prompts, observed, footprint: ready.footprint })
}

fn ready_folder(files: &ModelFiles, settings: &Settings) -> Result<Ready, EngineError> {
    let place = files.weights.place(&files.place);
    if let Some(description) = of_upstream(files)? {
        return upstream::load(&description, checkpoint(files, false)?, settings, place);
    }
    let shape = shape_of_folder(files)?;
    decoder(&checkpoint(files, shape.norms_after)?, shape, settings, place)
}

/// Weights of `shape` in the scheme that the settings ask for, in the own decoder.
fn decoder(
    checkpoint: &dyn Checkpoint,
    shape: Architecture,
    settings: &Settings,
    place: &Path,
) -> Result<Ready, EngineError> {
    let context = context_length(settings, shape.context)?;
    let footprint = foreseen(checkpoint, &shape, settings, place)?;
    let weights =
        Weights::load(checkpoint, &shape, target(settings)?).map_err(|error| unusable(error, place))?;
    Ok(Ready {
        scheme: weights.scheme(),
        bits_per_weight: weights.bits_per_weight(),
        runtime: runtime(),
        prefill_chunk: settings.prefill_chunk.or(DEFAULT_CHUNK).into(),
        footprint,
        model: Box::new(Decoder::new(weights, shape, context)),
    })
}

/// The sizes of a model that candle-transformers computes; `None` for any other.
fn of_upstream(files: &ModelFiles) -> Result<Option<Description>, EngineError> {
    Description::read(&files.config).map_err(|problem| not_computed(files.path("config.json"), problem))
}

fn shape_of_folder(files: &ModelFiles) -> Result<Architecture, EngineError> {
    architecture::parse(&files.config).map_err(|problem| not_computed(files.path("config.json"), problem))
}

fn not_computed(path: PathBuf, problem: String) -> EngineError {
    EngineError::Unusable { path, problem, remedy: "choose a model of one of these families".to_owned() }
}

fn checkpoint(files: &ModelFiles, norms_after: bool) -> Result<HuggingFace<'_>, EngineError> {
    HuggingFace::open(&files.weights, norms_after).map_err(|error| unusable(error, &files.place))
}

fn load_gguf(gguf: &Gguf, file: &Path, settings: &Settings, base: &Path) -> Result<Loaded, EngineError> {
    let ready = decoder(gguf, shape_of_gguf(gguf, file)?, settings, file)?;
    let prompts = Prompts::of_gguf(gguf, ready.model.vocabulary(), settings, base)?;
    let observed = Observed {
        source: model_files::source_of_gguf(gguf)?.into(),
        weights: gguf.weights_fingerprint()?.into(),
        quantization: named_with_source(ready.scheme.clone(), gguf, settings).into(),
        file_format: "gguf".to_owned().into(),
        ..observe(&ready, &prompts)
    };
    Ok(Loaded { model: ready.model, prompts, observed, footprint: ready.footprint })
}

fn shape_of_gguf(gguf: &Gguf, file: &Path) -> Result<Architecture, EngineError> {
    let folder = upstream::known_as_gguf(gguf.architecture()?);
    architecture::from_gguf(gguf).map_err(|problem| match (problem, folder) {
        (architecture::ShapeError::File(error), _) => error.into(),
        (architecture::ShapeError::NotComputed(problem), Some(family)) => EngineError::Unusable {
            path: file.to_owned(),
            problem,
            remedy: format!(
                "models of the family {family} run from a Hugging Face folder: take that instead"
            ),
        },
        (architecture::ShapeError::NotComputed(problem), None) => not_computed(file.to_owned(), problem),
    })
}

/// `q8_0 requantized from q4_1`: what a scheme that was asked for made of weights that had lost precision before.
fn named_with_source(scheme: String, gguf: &Gguf, settings: &Settings) -> String {
    let sample = gguf.find(Part::Layer(0, LayerPart::Gate)).ok().flatten();
    let quantized = sample.map(|stored| stored.dtype).filter(|dtype| dtype.block_size() > 1);
    match quantized.map(name_of) {
        Some(stored) if settings.quantization.get().is_some() && scheme != stored => {
            format!("{scheme}{REQUANTIZED_FROM}{stored}")
        }
        _ => scheme,
    }
}

fn foreseen(
    checkpoint: &dyn Checkpoint,
    shape: &Architecture,
    settings: &Settings,
    place: &Path,
) -> Result<Footprint, EngineError> {
    let context = context_length(settings, shape.context)?;
    let chunk = settings.prefill_chunk.or(DEFAULT_CHUNK) as usize;
    footprint(checkpoint, shape, target(settings)?, context, chunk).map_err(|error| unusable(error, place))
}

/// The format to hold matrices in; `None` for the stored one.
fn target(settings: &Settings) -> Result<Option<GgmlDType>, EngineError> {
    let Some(name) = settings.quantization.get() else { return Ok(None) };
    scheme(name).map(Some).ok_or_else(|| {
        let remedy = format!("choose one of {}", known_schemes());
        unsupported("quantization", format!("`{name}` is not a scheme of this engine"), &remedy)
    })
}

fn unusable(error: CheckpointError, place: &Path) -> EngineError {
    match error {
        CheckpointError::Blocks { .. } => {
            unsupported("quantization", error.to_string(), "choose another scheme")
        }
        CheckpointError::File { file, problem } => not_fitting(place.join(file), problem),
        other => not_fitting(place.to_owned(), other.to_string()),
    }
}

fn not_fitting(path: PathBuf, problem: String) -> EngineError {
    let remedy = "take all files from the same revision of the model".to_owned();
    EngineError::Unusable { path, problem, remedy }
}

/// What is the same for every file format.
fn observe(ready: &Ready, prompts: &Prompts) -> Observed {
    let mut found = Observed {
        quantization: ready.scheme.clone().into(),
        bits_per_weight: ready.bits_per_weight.into(),
        kv_cache_dtype: "f32".to_owned().into(),
        runtime: ready.runtime.clone().into(),
        build_flags: build_flags().into(),
        threads: (candle_core::utils::get_num_threads() as u32).into(),
        placement: "cpu".to_owned().into(),
        context_length: (ready.model.context() as u32).into(),
        prefill_chunk: ready.prefill_chunk,
        prefix_cache: CacheState::Cold.into(),
        ..Observed::default()
    };
    prompts.observe(&mut found);
    found
}
