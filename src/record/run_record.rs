//! The record of one run: one JSON object, complete in itself.

use crate::condition::Condition;
use crate::generation::StopReason;
use crate::plan::{ArmKind, PlanIdentity, Slot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the record format. Every older version still reads.
pub const FORMAT: u32 = 1;

/// Everything that is kept of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// Version of this format.
    pub format: u32,
    /// Unique within its plan, and the file's stem.
    pub id: String,
    /// The plan it belongs to.
    pub plan: PlanIdentity,
    /// Index of its cell in the plan.
    pub cell: u32,
    /// The cell in words (`quantization=q8_0 thinking=true`).
    pub label: String,
    /// Name of its workload.
    pub workload: String,
    /// Which arm of the block it is.
    pub arm: ArmKind,
    /// Place in the schedule.
    pub slot: Slot,
    /// How it ended.
    pub outcome: Outcome,
    /// What was controlled.
    pub condition: Condition,
    /// What is told but never compared.
    pub context: Context,
    /// Generations before the measured ones.
    pub warmup: Vec<Item>,
    /// The measured generations.
    pub items: Vec<Item>,
    /// Metrics of the run by name.
    pub measurement: BTreeMap<String, Measured>,
    /// What a reader of the numbers must know.
    pub warnings: Vec<String>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Outcome {
    /// Measured.
    Done,
    /// Not measured; the record says why.
    Failed {
        /// What kind of failure.
        kind: FailureKind,
        /// The error in words.
        error: String,
    },
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The engine could not be opened.
    EngineUnavailable,
    /// The engine failed while answering.
    Engine,
    /// The process died (signal or panic).
    Crashed,
    /// It ran longer than the plan allows.
    Timeout,
    /// It was ended for want of memory.
    OutOfMemory,
    /// The replies contradict the condition (a reply that thinks although thinking is off).
    Void,
}

/// Circumstances: told, never compared.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Context {
    /// Start, RFC 3339, UTC.
    pub started: String,
    /// Seconds of the whole process, loading included.
    pub wall_s: f64,
    /// One-minute load average at the start and at the end.
    pub load_average: Vec<f64>,
    /// Free memory at the start, MiB.
    pub free_memory_mib: Option<u64>,
    /// CPU temperature at the start and at the end, degrees Celsius, where it can be read.
    pub temperature_c: Vec<f64>,
    /// Commit of the plan's repository; `+dirty` where the tree had changes.
    pub git: Option<String>,
    /// SHA-256 of planrun's own binary.
    pub planrun: Option<String>,
    /// Boot identity, to notice a restart between runs.
    pub boot: Option<String>,
    /// SHA-256 of the host's name.
    pub host: Option<String>,
}

/// One generation of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Item {
    /// Id of the task.
    pub id: String,
    /// Pass within the run, from 0.
    pub pass: u32,
    /// Cluster of the task, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Fingerprint (12 digits) of the rendered prompt.
    pub prompt: String,
    /// Tokens of the prompt.
    pub prompt_tokens: Option<u32>,
    /// Of these, taken from a cache.
    pub cached_tokens: Option<u32>,
    /// Generated tokens, EOS included.
    pub reply_tokens: Option<u32>,
    /// Generated token ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<u32>>,
    /// Generated text.
    pub text: String,
    /// Final answer: the text after the reasoning; `null` when there is none.
    pub answer: Option<String>,
    /// Score between 0 and 1; `null` when nothing was scored.
    pub score: Option<f64>,
    /// Why it ended; `null` when it failed.
    pub stop: Option<StopReason>,
    /// Seconds to the first token.
    pub ttft_s: Option<f64>,
    /// Seconds to the first token after the reasoning.
    pub ttfo_s: Option<f64>,
    /// Seconds the engine spent on reading the prompt, by its own clock.
    pub prefill_s: Option<f64>,
    /// Tokens after the first delivery.
    pub decode_tokens: Option<u32>,
    /// Seconds from the first delivery to the last token.
    pub decode_s: Option<f64>,
    /// Seconds to the last token.
    pub full_s: Option<f64>,
    /// Largest gap between two deliveries, seconds.
    pub itl_max_s: Option<f64>,
    /// Error of this item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A metric of a run. Not measured is `null` with a reason: never 0, never NaN.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// The value, in `unit`.
    pub value: Option<f64>,
    /// Why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Over how many items or samples.
    pub n: u64,
    /// Unit.
    pub unit: String,
    /// Id of the definition, versioned (`decode_tok_s/1`).
    pub definition: String,
}
