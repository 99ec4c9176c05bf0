//! The record of one run: one JSON object, complete in itself.

use crate::condition::Condition;
pub use crate::measure::{ChoiceLikelihood, Item, Measured};
use crate::plan::{ArmKind, PlanIdentity, Slot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How older records tell of another inference server on the machine, in a warning: `... (llama-server, pid 4711)`.
const BESIDE_SERVER: &str = "another inference server was running";

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
    /// Command line of the program that was started for the run, folders left out: its server, or what the engine starts itself (a
    /// Python worker; llama.cpp's, once for each request). Absent for an engine in planrun and a server that ran already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// SHA-256 of the host's name.
    pub host: Option<String>,
    /// Inference servers of others that ran on the machine (`llama-server, pid 4711`); absent where there were none, and in older
    /// records, which tell of them in `warnings`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
}

impl RunRecord {
    /// Inference servers of others that ran on the machine, each as `llama-server, pid 4711`.
    pub fn beside_servers(&self) -> impl Iterator<Item = &str> {
        let told = self.warnings.iter().filter_map(|warning| beside_in(warning));
        self.context.beside.iter().map(String::as_str).chain(told)
    }

    /// The warnings without those that tell of inference servers of others.
    pub fn other_warnings(&self) -> impl Iterator<Item = &str> {
        self.warnings.iter().map(String::as_str).filter(|warning| beside_in(warning).is_none())
    }
}

/// The server that a warning of an older record tells of.
fn beside_in(warning: &str) -> Option<&str> {
    warning.strip_prefix(BESIDE_SERVER)?.strip_prefix(" (")?.strip_suffix(')')
}
