//! How the engine is asked: part of the condition, the same for all cells of a comparison.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The protocol of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// Name in the plan; informational.
    pub name: String,
    /// Shape of the load.
    pub mode: Mode,
    /// Task file as the plan names it; informational, the fingerprint of its content is what counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<String>,
    /// Synthetic prompts of this many tokens, where no task file is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u32>,
    /// Tokens generated per synthetic prompt (EOS ignored).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gen_tokens: Option<u32>,
    /// Passes over the prompts inside one run, summarised to their median first.
    pub passes: u32,
    /// Answers are scored.
    pub quality: bool,
    /// Times are judged.
    pub timing: bool,
    /// What a run shares with its neighbours.
    pub isolation: Isolation,
}

/// Shape of the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// One request after the other.
    #[default]
    Single,
}

/// What a run shares with its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// A process of its own (and a server of its own).
    #[default]
    Run,
    /// One server per engine setting inside a block, its cache verified cold between runs.
    Block,
    /// A server that was already there.
    Attached,
}
