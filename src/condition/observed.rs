//! What was read off the machine, the engine and the model when a run took place.

use super::{CacheState, Isolation, Stated};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The condition as found. An absent key is unknown; `null` means that it does not apply.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Observed {
    /// Declared source of the weights: name and revision (`pico 1`, `hf:ORG/NAME@commit`).
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub source: Stated<String>,
    /// SHA-256 of the weight bytes as stored.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub weights: Stated<String>,
    /// Scheme that the matrices really have.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub quantization: Stated<String>,
    /// Bits per weight over all parameters, as held in memory.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub bits_per_weight: Stated<f64>,
    /// File format of the weights: `safetensors`, `gguf`.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub file_format: Stated<String>,
    /// SHA-256 of the tokenizer definition; also the identity of the token counter.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub tokenizer: Stated<String>,
    /// SHA-256 of the chat template's text.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub chat_template: Stated<String>,
    /// The day that the chat template put into the prompts; `null` for a template that does not ask for it.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub template_date: Stated<String>,
    /// Special tokens that frame a prompt and end a reply.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub special_tokens: Stated<String>,
    /// Number format of the key/value cache.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub kv_cache_dtype: Stated<String>,
    /// The engine's code: name, version, binary.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub runtime: Stated<Runtime>,
    /// Compiler flags that decide which machine code runs.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub build_flags: Stated<String>,
    /// The machine.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub hardware: Stated<Hardware>,
    /// CPU threads in use.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub threads: Stated<u32>,
    /// Where layers live.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub placement: Stated<String>,
    /// Context window in tokens.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub context_length: Stated<u32>,
    /// Prompt tokens read in one forward pass.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub prefill_chunk: Stated<u32>,
    /// Whether the rendered prompts ask for thinking; `null` for a model without the switch.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub thinking: Stated<bool>,
    /// SHA-256 of the file with the JSON schema that replies were held to.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub json_schema: Stated<String>,
    /// SHA-256 of the file with the grammar that replies were held to.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub grammar: Stated<String>,
    /// Speculative decoding; of a draft model the SHA-256 of its weights in place of its file's name.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub speculation: Stated<String>,
    /// Fingerprint of the task set (prompts, expected answers and all that can change a score).
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub task_set_fingerprint: Stated<String>,
    /// Fingerprint of the rendered prompts' text.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub prompt_fingerprint: Stated<String>,
    /// Fingerprint of the rendered prompts' token ids; catches a doubled BOS.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub prompt_ids_fingerprint: Stated<String>,
    /// Verified state of the prefix cache.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub prefix_cache: Stated<CacheState>,
    /// What the run shared with others, where that is not what the plan asks for: `attached` for a server that ran already.
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub isolation: Stated<Isolation>,
    /// Version of planrun's own definitions (see [`HARNESS`]).
    #[serde(skip_serializing_if = "Stated::is_unknown")]
    pub harness: Stated<u32>,
}

/// Stands in a quantization's name between the scheme and the one that the source had lost precision to before:
/// `q8_0 requantized from q4_1`.
pub const REQUANTIZED_FROM: &str = " requantized from ";

/// Raised by hand whenever a definition changes that can change a number: a metric, a scorer, the driver, the decoder.
/// Two builds with the same value may be compared.
pub const HARNESS: u32 = 3;

/// The code that computes the answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Runtime {
    /// Program or library.
    pub name: String,
    /// Its version, as it reports it.
    pub version: String,
    /// SHA-256 of the binary for an engine outside; absent for the in-process engine, whose code is governed by the
    /// harness version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<String>,
}

/// The machine, as read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hardware {
    /// CPU model name.
    pub cpu: String,
    /// Instruction sets that matter for matrix products.
    pub instruction_sets: Vec<String>,
    /// Logical cores that this process may use.
    pub cores: u32,
    /// Memory in GiB, rounded.
    pub memory_gib: u32,
    /// Accelerators with their drivers; empty where there are none.
    pub accelerators: Vec<String>,
    /// `mains`, `battery`, or absent where it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_source: Option<String>,
}
