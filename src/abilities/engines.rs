//! What each kind of engine can do, as a pure table, so that a plan can be checked without opening an engine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    /// candle, in this process.
    Candle,
    /// llama.cpp, through `llama-server`.
    LlamaCpp,
    /// Ollama.
    Ollama,
    /// MLX-LM: `mlx_lm.server`, or a Python program that planrun carries.
    MlxLm,
    /// MLC-LLM, through `mlc_llm serve`.
    MlcLlm,
    /// Hugging Face transformers, through a Python program that planrun carries.
    Transformers,
    /// Any server with the interface of OpenAI (vLLM, `SGLang`, mistral.rs, TGI, llama-server, ...).
    Openai,
    /// A deterministic stand-in for tests and dry runs; it answers from a script on a virtual clock.
    Scripted,
}

impl EngineKind {
    /// True if planrun itself computes the answers.
    pub fn is_in_process(self) -> bool {
        matches!(self, Self::Candle | Self::Scripted)
    }

    /// Every kind, in the order in which tables list them.
    pub const ALL: &'static [Self] = &[
        Self::Candle,
        Self::LlamaCpp,
        Self::Ollama,
        Self::MlxLm,
        Self::MlcLlm,
        Self::Transformers,
        Self::Openai,
        Self::Scripted,
    ];
}

/// What `model` names for an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelName {
    /// A file or folder on this machine, or a model of the hub, which planrun itself reads.
    Files,
    /// A name that a server knows; `model_files` may say where the same model's files lie on this machine.
    AtServer,
    /// A script.
    Script,
}

/// What a prompt is sent as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptForm {
    /// Token ids: nothing is left to the engine's own tokenizer.
    Ids,
    /// The rendered text.
    Text,
    /// The rendered text where planrun has the model's template, else the messages, which the server renders.
    TextOrMessages,
    /// Token ids where planrun has the model's tokenizer, else the messages.
    IdsOrMessages,
}

/// What one kind of engine can do.
#[allow(clippy::struct_excessive_bools)] // one yes or no for each ability, read by name
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// How a plan calls it.
    pub name: &'static str,
    /// What `model` names.
    pub model: ModelName,
    /// The program that is started where the plan names none; `None` where none is started by default.
    pub program: Option<&'static str>,
    /// It can be asked at a `url` where it runs already.
    pub attaches: bool,
    /// Schemes it can hold weights in; empty where it takes them as they are stored.
    pub quantizations: &'static [&'static str],
    /// Formats of the key/value cache.
    pub kv_cache_dtypes: &'static [&'static str],
    /// It has a thinking switch (through the model's template, or a field of the request).
    pub thinking: bool,
    /// Settings of the sampler that it honours.
    pub sampling: &'static [&'static str],
    /// It gives the log-likelihoods of given continuations.
    pub log_likelihoods: bool,
    /// Settings that only some engines can honour, and that this one can.
    pub optional: &'static [&'static str],
    /// Most requests or prompts that it answers at once, as far as planrun asks.
    pub concurrency: u32,
    /// What prompts are sent as.
    pub prompt: PromptForm,
    /// It shows the ids of generated tokens.
    pub ids: bool,
    /// It tells how much of a prompt came from a cache.
    pub cached_tokens: bool,
    /// It tells how many drafted tokens were accepted.
    pub speculation_counts: bool,
    /// Its prefix cache can be emptied, or left out of a request.
    pub forgets: bool,
}

/// Schemes that candle quantizes to at load.
const CANDLE_SCHEMES: &[&str] =
    &["f32", "bf16", "f16", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q2_k", "q3_k", "q4_k", "q5_k", "q6_k"];

/// All settings of the sampler.
const SAMPLING: &[&str] = &["temperature", "top_k", "top_p", "seed", "ignore_eos"];

/// What most engines outside have in common.
const OUTSIDE: Abilities = Abilities {
    name: "",
    model: ModelName::AtServer,
    program: None,
    attaches: true,
    quantizations: &[],
    kv_cache_dtypes: &[],
    thinking: true,
    sampling: SAMPLING,
    log_likelihoods: false,
    optional: &[],
    concurrency: 1,
    prompt: PromptForm::TextOrMessages,
    ids: false,
    cached_tokens: false,
    speculation_counts: false,
    forgets: false,
};

const CANDLE: Abilities = Abilities {
    name: "candle",
    model: ModelName::Files,
    attaches: false,
    quantizations: CANDLE_SCHEMES,
    kv_cache_dtypes: &["f32"],
    log_likelihoods: true,
    // Effort: through the model's template, where that knows grades of it.
    optional: &["threads", "context_length", "prefill_chunk", "thinking_effort", "prefix_cache"],
    prompt: PromptForm::Ids,
    ids: true,
    cached_tokens: true,
    forgets: true,
    ..OUTSIDE
};

const LLAMA_CPP: Abilities = Abilities {
    name: "llama_cpp",
    model: ModelName::Files,
    program: Some("llama-server"),
    kv_cache_dtypes: &["f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1"],
    optional: &[
        "threads",
        "context_length",
        "prefill_chunk",
        "thinking_effort",
        "prefix_cache",
        "placement",
        "speculation",
        "json_schema",
        "grammar",
    ],
    prompt: PromptForm::Ids,
    ids: true,
    cached_tokens: true,
    speculation_counts: true,
    forgets: true,
    ..OUTSIDE
};

const OLLAMA: Abilities = Abilities {
    name: "ollama",
    program: Some("ollama"),
    kv_cache_dtypes: &["f16", "q8_0", "q4_0"],
    sampling: &["temperature", "top_k", "top_p", "seed"],
    optional: &["threads", "context_length", "thinking_effort", "placement", "json_schema"],
    ..OUTSIDE
};

const MLX_LM: Abilities = Abilities {
    name: "mlx_lm",
    model: ModelName::Files,
    program: Some("mlx_lm.server"),
    optional: &["thinking_effort", "prefix_cache"],
    prompt: PromptForm::Text,
    cached_tokens: true,
    ..OUTSIDE
};

const MLC_LLM: Abilities = Abilities {
    name: "mlc_llm",
    program: Some("mlc_llm"),
    sampling: &["temperature", "top_p", "seed", "ignore_eos"],
    optional: &["thinking_effort", "prefix_cache", "json_schema"],
    prompt: PromptForm::IdsOrMessages,
    ..OUTSIDE
};

const TRANSFORMERS: Abilities = Abilities {
    name: "transformers",
    model: ModelName::Files,
    program: Some("python3"),
    attaches: false,
    quantizations: &["f32", "bf16", "f16"],
    optional: &["threads", "thinking_effort", "placement"],
    prompt: PromptForm::Ids,
    ids: true,
    cached_tokens: true,
    forgets: true,
    ..OUTSIDE
};

const OPENAI: Abilities = Abilities {
    name: "openai",
    optional: &["thinking_effort", "thinking_budget", "prefix_cache", "json_schema", "grammar"],
    cached_tokens: true,
    ..OUTSIDE
};

const SCRIPTED: Abilities = Abilities {
    name: "scripted",
    model: ModelName::Script,
    attaches: false,
    quantizations: CANDLE_SCHEMES,
    kv_cache_dtypes: &["f32"],
    log_likelihoods: true,
    optional: &["threads", "context_length", "prefill_chunk", "prefix_cache"],
    prompt: PromptForm::Ids,
    ids: true,
    cached_tokens: true,
    forgets: true,
    ..OUTSIDE
};

/// Looks up an engine's abilities.
pub fn abilities(kind: EngineKind) -> Abilities {
    match kind {
        EngineKind::Candle => CANDLE,
        EngineKind::LlamaCpp => LLAMA_CPP,
        EngineKind::Ollama => OLLAMA,
        EngineKind::MlxLm => MLX_LM,
        EngineKind::MlcLlm => MLC_LLM,
        EngineKind::Transformers => TRANSFORMERS,
        EngineKind::Openai => OPENAI,
        EngineKind::Scripted => SCRIPTED,
    }
}

/// Looks up an engine's abilities where the plan names the program: MLX-LM's library, in a Python program that planrun
/// carries, can do what its server cannot; llama.cpp without its server can do less.
pub fn abilities_with(kind: EngineKind, program: Option<&str>) -> Abilities {
    let able = abilities(kind);
    match kind {
        EngineKind::MlxLm if program.is_some_and(names_an_interpreter) => Abilities {
            attaches: false,
            sampling: SAMPLING,
            optional: &["prefill_chunk", "thinking_effort", "prefix_cache", "placement"],
            prompt: PromptForm::Ids,
            ids: true,
            forgets: true,
            ..able
        },
        EngineKind::LlamaCpp if program.is_some_and(names_a_command_line) => Abilities {
            attaches: false,
            optional: &[
                "threads",
                "context_length",
                "prefill_chunk",
                "thinking_effort",
                "placement",
                "json_schema",
                "grammar",
            ],
            prompt: PromptForm::Text,
            ids: false,
            speculation_counts: false,
            ..able
        },
        _ => able,
    }
}

/// True if `program` is a Python interpreter: its file name begins with `python`.
pub fn names_an_interpreter(program: &str) -> bool {
    program.rsplit('/').next().is_some_and(|name| name.starts_with("python"))
}

/// True if `program` is llama.cpp on the command line, which is started for each request: `llama-completion`, or `llama-cli`,
/// as builds before 2026 call it.
pub fn names_a_command_line(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    name.starts_with("llama-completion") || name.starts_with("llama-cli")
}

/// How a plan calls the embedded model.
pub const PICO: &str = "pico";

/// Weights that share a scale in a scheme: rows must be a multiple of it.
pub fn block_size(scheme: &str) -> u64 {
    match scheme {
        "q8_0" | "q4_0" | "q4_1" | "q5_0" | "q5_1" => 32,
        "q2_k" | "q3_k" | "q4_k" | "q5_k" | "q6_k" => 256,
        _ => 1,
    }
}
