//! The command line of `llama-server`, and what `llama-completion` shares with it.
//!
//! Options: <https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md>. Whatever decides a number is said, so
//! that a build with other defaults, or an environment variable, changes nothing.

use super::gguf_file::gguf_file;
use super::placement;
use super::speculation::Speculation;
use crate::condition::Settings;
use crate::engine::EngineError;
use crate::engine::gguf::Gguf;
use crate::engine::outside::{Launch, program, refuse};
use std::path::Path;

/// The program that is started where the plan names none.
const PROGRAM: &str = "llama-server";
/// Context set up where the plan asks for none and the model was made for more; the in-process engine's own.
const DEFAULT_CONTEXT: u32 = 8192;
/// Prompt tokens per forward pass where the plan does not say; the in-process engine's own.
const DEFAULT_CHUNK: u32 = 512;
/// The engine's own number format of the key/value cache.
const DEFAULT_CACHE: &str = "f16";

/// What a program is started with, beyond the model: read back by nobody, and true because we said it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Started {
    pub(super) threads: u32,
    pub(super) kv_cache_dtype: String,
    pub(super) prefill_chunk: u32,
}

impl Started {
    pub(super) fn with(settings: &Settings) -> Self {
        let cache = settings.kv_cache_dtype.get().map_or(DEFAULT_CACHE, String::as_str);
        Self {
            threads: settings.threads.or(1),
            kv_cache_dtype: cache.to_owned(),
            prefill_chunk: settings.prefill_chunk.or(DEFAULT_CHUNK),
        }
    }
}

/// The server for these settings, on `port` of 127.0.0.1.
pub(in crate::engine) fn launch(settings: &Settings, base: &Path, port: u16) -> Result<Launch, EngineError> {
    refuse(settings, SPOKEN_FOR, FIXED)?;
    let mut arguments = words(&["--host", "127.0.0.1", "--port", &port.to_string()]);
    arguments.extend(OfModel::new(settings, base)?.arguments);
    arguments.extend(words(ALWAYS));
    let speculation = Speculation::of(settings, base)?;
    arguments.extend(speculation.as_ref().map(Speculation::arguments).unwrap_or_default());
    let program = program(&settings.program, PROGRAM, base)?;
    Ok(Launch { program, arguments, environment: Vec::new(), ready: "/health" }.with_arguments_of(settings))
}

/// What every program of llama.cpp is told: the model, and how to compute it.
pub(super) struct OfModel {
    pub(super) arguments: Vec<String>,
    /// Context window in tokens.
    pub(super) context: u32,
}

impl OfModel {
    pub(super) fn new(settings: &Settings, base: &Path) -> Result<Self, EngineError> {
        let model = gguf_file(settings.model.get().map_or("", String::as_str), base)?;
        let context = context(settings, &model)?;
        let mut arguments = words(&["-m", &model.display().to_string(), "-c", &context.to_string()]);
        arguments.extend(computing(&Started::with(settings)));
        arguments.extend(placement::arguments(settings)?);
        Ok(Self { arguments, context })
    }
}

/// One request at a time, nothing kept of earlier prompts but the last one's cache, no window that slides on in silence.
const ALWAYS: &[&str] = &[
    "-np",
    "1",
    "--no-context-shift",
    // Prompts put aside in memory would come back from there, and marks inside them cut the reading of a prompt in pieces.
    "-cram",
    "0",
    "-ctxcp",
    "0",
    "--cache-reuse",
    "0",
    "--slots",
    "--no-webui",
    "--warmup",
    "--offline",
];

/// Options that settings of the plan stand for: given once more in `arguments`, they would make a record say what is not so.
pub(super) const SPOKEN_FOR: &[(&str, &[&str])] = &[
    (
        "model",
        &[
            "-m",
            "--model",
            "-hf",
            "-hfr",
            "--hf-repo",
            "-hff",
            "--hf-file",
            "-mu",
            "--model-url",
            "-dr",
            "--docker-repo",
            "--lora",
            "--lora-scaled",
        ],
    ),
    ("threads", &["-t", "--threads", "-tb", "--threads-batch"]),
    ("context_length", &["-c", "--ctx-size"]),
    ("prefill_chunk", &["-b", "--batch-size", "-ub", "--ubatch-size"]),
    ("kv_cache_dtype", &["-ctk", "--cache-type-k", "-ctv", "--cache-type-v"]),
    (
        "placement",
        &[
            "-ngl",
            "--gpu-layers",
            "--n-gpu-layers",
            "-dev",
            "--device",
            "-sm",
            "--split-mode",
            "-ts",
            "--tensor-split",
            "-mg",
            "--main-gpu",
            "-ot",
            "--override-tensor",
            "-cmoe",
            "--cpu-moe",
            "-ncmoe",
            "--n-cpu-moe",
        ],
    ),
    (
        "speculation",
        &[
            "-md",
            "--model-draft",
            "--spec-draft-model",
            "--spec-type",
            "-hfd",
            "-hfrd",
            "--hf-repo-draft",
            "--spec-draft-hf",
        ],
    ),
    ("json_schema", &["-j", "--json-schema", "-jf", "--json-schema-file"]),
    ("grammar", &["--grammar", "--grammar-file"]),
];

/// Options that planrun itself says, or that would let the server reach the network or be asked by others.
const FIXED: &[&str] = &[
    "--host",
    "--port",
    "-np",
    "--parallel",
    "--context-shift",
    "--no-context-shift",
    "-cram",
    "--cache-ram",
    "-ctxcp",
    "--ctx-checkpoints",
    "--swa-checkpoints",
    "--cache-reuse",
    "--slots",
    "--no-slots",
    "--warmup",
    "--no-warmup",
    "--api-key",
    "--api-key-file",
    "--api-prefix",
    "--ssl-key-file",
    "--ssl-cert-file",
    "-hft",
    "--hf-token",
    "-mmu",
    "--mmproj-url",
    "-hfv",
    "-hfrv",
    "--hf-repo-v",
    "-hffv",
    "--hf-file-v",
    "--rpc",
    // Guesses that are accepted by lot: the replies would not be the model's.
    "--spec-synth-len",
    "--spec-synth-rates",
];

fn computing(started: &Started) -> Vec<String> {
    let Started { threads, kv_cache_dtype, prefill_chunk } = started;
    let (threads, chunk) = (threads.to_string(), prefill_chunk.to_string());
    // Blocks of a quantized V can be read by no other kernel.
    let flash = if matches!(kv_cache_dtype.as_str(), "f32" | "f16" | "bf16") { "auto" } else { "on" };
    words(&[
        "-t",
        &threads,
        "-tb",
        &threads,
        "-b",
        &chunk,
        "-ub",
        &chunk,
        "-ctk",
        kv_cache_dtype,
        "-ctv",
        kv_cache_dtype,
        "-fa",
        flash,
    ])
}

/// llama.cpp rounds a context up to blocks of 256; one that was asked for must be what is set up.
fn context(settings: &Settings, model: &Path) -> Result<u32, EngineError> {
    const BLOCK: u32 = 256;
    if let Some(asked) = settings.context_length.get() {
        if asked % BLOCK == 0 && *asked > 0 {
            return Ok(*asked);
        }
        return Err(EngineError::Unsupported {
            field: "context_length",
            problem: format!("llama.cpp sets up contexts in blocks of {BLOCK}, and {asked} is none"),
            remedy: format!("ask for {}", asked.div_ceil(BLOCK).max(1) * BLOCK),
        });
    }
    let gguf = Gguf::open(model)?;
    let made_for = gguf.metadata().unsigned(&gguf.arch_key("context_length")?)?;
    let made_for = made_for.and_then(|made_for| u32::try_from(made_for).ok());
    Ok(made_for.unwrap_or(DEFAULT_CONTEXT).min(DEFAULT_CONTEXT))
}

pub(super) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
