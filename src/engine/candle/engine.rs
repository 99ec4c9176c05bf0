//! The candle engine as the rest of the program sees it.

use super::build::{build_flags, runtime};
use super::config::ModelConfig;
use super::decoder::Decoder;
use super::generate::{Limits, generate};
use super::scheme::{known_schemes, name_of, scheme};
use super::weights::{Checkpoint, Weights, WeightsError};
use crate::condition::{CacheState, Observed, Settings, Stated};
use crate::engine::model_files::{self, ModelFiles};
use crate::engine::template::{self, ChatTemplate};
use crate::engine::vocabulary::Vocabulary;
use crate::engine::{Engine, EngineError};
use crate::fingerprint;
use crate::generation::{Generation, Message, Prompt, Request, StopReason, Stopwatch, TokenTimes};
use candle_core::quantized::GgmlDType;
use std::path::Path;

/// Context set up when neither plan nor model asks for less.
const DEFAULT_CONTEXT: usize = 8192;
/// Prompt tokens per forward pass when the plan does not say.
const DEFAULT_CHUNK: u32 = 512;

/// Name of the embedded model in a plan.
const PICO: &str = "pico";

/// A Qwen3 model in this process.
#[derive(Debug)]
pub struct CandleEngine {
    decoder: Decoder,
    vocabulary: Vocabulary,
    template: ChatTemplate,
    observed: Observed,
    prefill_chunk: usize,
    reuse_prefix: bool,
}

impl CandleEngine {
    /// Opens the model that the settings name; `base` is the plan's folder.
    pub fn open(settings: &Settings, base: &Path) -> Result<Self, EngineError> {
        let files = match settings.model.get().map(String::as_str) {
            None => {
                return Err(unsupported(
                    "model",
                    "no model is named".to_owned(),
                    "set it to `pico` or a folder",
                ));
            }
            Some(PICO) => ModelFiles::pico(),
            Some(model) => ModelFiles::read(&model_files::find(model, base)?)?,
        };
        Self::load(&files, settings, base)
    }

    /// Logits of the token that follows `prompt`, read from an empty cache: for comparisons with other implementations.
    pub fn logits(&mut self, prompt: &[u32]) -> Result<Vec<f32>, EngineError> {
        let prompt = self.ids_of(&Prompt { text: String::new(), ids: Some(prompt.to_vec()) })?;
        self.check_room(&prompt)?;
        self.decoder.cache().truncate(0);
        let logits = self.decoder.read(&prompt, self.prefill_chunk);
        logits
            .map(|logits| logits.to_vec())
            .map_err(|error| EngineError::Failed { doing: "computing logits", problem: error.to_string() })
    }

    fn check_room(&mut self, prompt: &[u32]) -> Result<(), EngineError> {
        let context = self.decoder.cache().capacity();
        if prompt.len() > context {
            return Err(EngineError::ContextFull { tokens: prompt.len(), context });
        }
        Ok(())
    }

    /// Loads a model and quantizes it as the settings ask.
    fn load(files: &ModelFiles, settings: &Settings, base: &Path) -> Result<Self, EngineError> {
        refuse_what_is_not_done(settings)?;
        let config = ModelConfig::parse(&files.config).map_err(|problem| EngineError::Unusable {
            path: files.path("config.json"),
            problem,
            remedy: "choose a dense Qwen3 model".to_owned(),
        })?;
        let context = context_length(settings, &config)?;
        let weights = load_weights(files, settings, &config)?;
        let ends = template::end_tokens(files, ModelConfig::eos_ids);
        let vocabulary =
            Vocabulary::read(&files.tokenizer, files.path("tokenizer.json"), ends, config.vocab_size)?;
        let template = template::chat_template(files, settings, base)?;
        let observed = observe(files, settings, &weights, &vocabulary, &template, context);
        Ok(Self {
            decoder: Decoder::new(weights, &config, context),
            vocabulary,
            template,
            prefill_chunk: settings.prefill_chunk.or(DEFAULT_CHUNK) as usize,
            reuse_prefix: settings.prefix_cache.get() == Some(&CacheState::Warm),
            observed,
        })
    }

    /// The prompt's ids, checked against the vocabulary and the context.
    fn ids_of(&self, prompt: &Prompt) -> Result<Vec<u32>, EngineError> {
        let ids = match &prompt.ids {
            Some(ids) => ids.clone(),
            None => self.vocabulary.encode(&prompt.text)?,
        };
        let rows = self.decoder.weights().embedding.rows();
        if let Some(id) = ids.iter().find(|id| **id as usize >= rows) {
            return Err(unreadable(format!("token {id} is not among the model's {rows} tokens")));
        }
        if ids.is_empty() {
            return Err(unreadable("it is empty".to_owned()));
        }
        Ok(ids)
    }
}

impl Engine for CandleEngine {
    fn observed(&self) -> &Observed {
        &self.observed
    }

    fn clock(&self) -> Stopwatch {
        Stopwatch::real()
    }

    fn has_thinking_switch(&self) -> bool {
        self.template.thinking_switch().has_two_positions()
    }

    fn render(&self, messages: &[Message], thinking: Stated<bool>) -> Result<Prompt, EngineError> {
        let text =
            self.template.render_turn(messages, thinking.get().copied()).map_err(EngineError::Template)?;
        let ids = self.vocabulary.encode(&text)?;
        Ok(Prompt { text, ids: Some(ids) })
    }

    fn tokenize(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        self.vocabulary.encode(text)
    }

    fn synthetic_prompt(&self, tokens: u32, seed: u64) -> Result<Prompt, EngineError> {
        let ids = self.vocabulary.synthetic(tokens, seed);
        Ok(Prompt { text: self.vocabulary.decode(&ids)?, ids: Some(ids) })
    }

    fn generate(&mut self, request: &Request) -> Result<Generation, EngineError> {
        let clock = self.clock();
        let prompt = self.ids_of(&request.prompt)?;
        self.check_room(&prompt)?;
        let held = if self.reuse_prefix { self.decoder.cache().shared_prefix(&prompt) } else { 0 };
        let cached = held.min(prompt.len() - 1);
        self.decoder.cache().truncate(cached);
        let limits = Limits {
            max_tokens: request.max_tokens.max(1),
            prefill_chunk: self.prefill_chunk,
            sampling: &request.sampling,
        };
        let vocabulary = &self.vocabulary;
        let ends = |token| !request.ignore_eos && vocabulary.is_end(token);
        let tokens = generate(&mut self.decoder, &prompt[cached..], &limits, ends, &clock)?;
        let spoken = tokens.ids.len() - usize::from(tokens.stop == StopReason::Eos);
        Ok(Generation {
            text: vocabulary.decode(&tokens.ids[..spoken])?,
            tokens: Some(tokens.ids.len() as u32),
            prompt_tokens: Some(prompt.len() as u32),
            cached_tokens: Some(cached as u32),
            stop: tokens.stop,
            times: TokenTimes {
                first_answer: vocabulary.answer_start(&prompt, &tokens.ids),
                deliveries: tokens.deliveries,
                prefill: Some(tokens.prefill),
            },
            ids: Some(tokens.ids),
            speculation: None,
        })
    }

    fn forget(&mut self) -> Result<(), EngineError> {
        self.decoder.cache().truncate(0);
        Ok(())
    }
}

fn unreadable(problem: String) -> EngineError {
    EngineError::Failed { doing: "reading the prompt", problem }
}

fn unsupported(field: &'static str, problem: String, remedy: &str) -> EngineError {
    EngineError::Unsupported { field, problem, remedy: remedy.to_owned() }
}

/// Settings that this engine would have to ignore are refused instead.
fn refuse_what_is_not_done(settings: &Settings) -> Result<(), EngineError> {
    let leave = "leave it out";
    if let Some(kind) = settings.kv_cache_dtype.get().filter(|kind| *kind != "f32") {
        return Err(unsupported("kv_cache_dtype", format!("`{kind}` is not held here"), "use `f32`"));
    }
    if let Some(place) = settings.placement.get().filter(|place| *place != "cpu") {
        return Err(unsupported("placement", format!("`{place}`: this engine computes on the CPU"), leave));
    }
    if settings.speculation.get().is_some() {
        return Err(unsupported("speculation", "this engine does not speculate yet".to_owned(), leave));
    }
    if settings.thinking_budget.get().is_some() {
        return Err(unsupported("thinking_budget", "this engine cannot limit reasoning".to_owned(), leave));
    }
    if let Some(many) = settings.batch_size.get().filter(|size| **size > 1) {
        return Err(unsupported("batch_size", format!("{many}: prompts are read one by one"), "use 1"));
    }
    let threads = candle_core::utils::get_num_threads() as u32;
    match settings.threads.get() {
        Some(asked) if *asked != threads => Err(unsupported(
            "threads",
            format!("{asked} asked for, but this process was started for {threads}"),
            "start it with RAYON_NUM_THREADS set to the number of threads",
        )),
        _ => Ok(()),
    }
}

fn context_length(settings: &Settings, config: &ModelConfig) -> Result<usize, EngineError> {
    let most = config.max_position_embeddings;
    match settings.context_length.get() {
        Some(asked) if *asked as usize > most => Err(unsupported(
            "context_length",
            format!("{asked} asked for, and the model was made for {most}"),
            "ask for at most that",
        )),
        Some(0) => Err(unsupported("context_length", "0 holds no prompt".to_owned(), "ask for more")),
        Some(asked) => Ok(*asked as usize),
        None => Ok(most.min(DEFAULT_CONTEXT)),
    }
}

fn load_weights(
    files: &ModelFiles,
    settings: &Settings,
    config: &ModelConfig,
) -> Result<Weights, EngineError> {
    let unusable = |error: WeightsError| match error {
        WeightsError::Blocks { .. } => {
            unsupported("quantization", error.to_string(), "choose another scheme")
        }
        other => EngineError::Unusable {
            path: files.place.clone(),
            problem: other.to_string(),
            remedy: "take the safetensors files and config.json from the same revision of the model"
                .to_owned(),
        },
    };
    let checkpoint = Checkpoint::open(files.weights.iter().map(AsRef::as_ref)).map_err(unusable)?;
    let dtype = match settings.quantization.get() {
        Some(name) => scheme(name).ok_or_else(|| {
            let remedy = format!("choose one of {}", known_schemes());
            unsupported("quantization", format!("`{name}` is not a scheme of this engine"), &remedy)
        })?,
        None => checkpoint.stored_scheme(),
    };
    Weights::load(&checkpoint, config, dtype).map_err(unusable)
}

fn observe(
    files: &ModelFiles,
    settings: &Settings,
    weights: &Weights,
    vocabulary: &Vocabulary,
    template: &ChatTemplate,
    context: usize,
) -> Observed {
    let layers = weights.layers.first().map_or(GgmlDType::F32, |layer| layer.output.dtype());
    Observed {
        source: files.source.clone().into(),
        weights: weights_fingerprint(files).into(),
        quantization: name_of(layers).to_owned().into(),
        bits_per_weight: weights.bits_per_weight().into(),
        file_format: "safetensors".to_owned().into(),
        tokenizer: vocabulary.fingerprint().to_owned().into(),
        chat_template: template.fingerprint().to_owned().into(),
        template_date: template.day_in_prompts().map_or(Stated::Unset, Stated::Set),
        special_tokens: template::describe_special_tokens(files, vocabulary).into(),
        kv_cache_dtype: "f32".to_owned().into(),
        runtime: runtime().into(),
        build_flags: build_flags().into(),
        threads: (candle_core::utils::get_num_threads() as u32).into(),
        placement: "cpu".to_owned().into(),
        context_length: (context as u32).into(),
        prefill_chunk: settings.prefill_chunk.or(DEFAULT_CHUNK).into(),
        prefix_cache: CacheState::Cold.into(),
        ..Observed::default()
    }
}

/// SHA-256 of the one file, or of the sequence of the files' hashes.
fn weights_fingerprint(files: &ModelFiles) -> String {
    match files.weights.as_slice() {
        [one] => fingerprint::of_bytes(one),
        many => fingerprint::of_parts(many.iter().map(|shard| fingerprint::of_bytes(shard))),
    }
}
