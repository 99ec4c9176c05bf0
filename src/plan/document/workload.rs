//! `[[workload]]`: how the cells are asked.

use crate::condition::Mode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How every cell is asked: either the prompts of a task file, or synthetic prompts of a fixed length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkloadTable {
    /// Short name: lower-case letters, digits and hyphens. Stands in run ids and reports.
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9-]{0,62}$"))]
    pub name: String,
    /// Shape of the load.
    #[serde(default)]
    pub mode: Mode,
    /// Task file (`.jsonl`), relative to the plan.
    #[serde(default)]
    pub tasks: Option<String>,
    /// Length of synthetic prompts in tokens; goes with `gen_tokens`, without `tasks`.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub prompt_tokens: Option<u32>,
    /// Tokens generated for each synthetic prompt, whatever the model would rather do.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub gen_tokens: Option<u32>,
    /// Passes over the prompts inside one run; a run's value is the median of its passes.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1000))]
    pub passes: u32,
    /// Score the answers. Needs `tasks` and a scorer.
    #[serde(default)]
    pub quality: bool,
    /// Judge the times. Left out: true unless `quality` is true.
    #[serde(default)]
    pub timing: Option<bool>,
}

impl WorkloadTable {
    /// Whether times are judged: as written, else the opposite of `quality`.
    pub fn timed(&self) -> bool {
        self.timing.unwrap_or(!self.quality)
    }
}

fn one() -> u32 {
    1
}
