//! What goes into a drive and what comes out.

use crate::condition::{CacheState, Observed, Settings, Stated, Workload};
use crate::engine::EngineError;
use crate::measure::{Around, Item};
use crate::task::{ConversationError, TaskSet};

/// What is to be driven.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// Settings of the cell.
    pub settings: &'a Settings,
    /// The protocol.
    pub workload: &'a Workload,
    /// The tasks; `None` for synthetic prompts of the workload's `prompt_tokens`.
    pub tasks: Option<&'a TaskSet>,
    /// Where solved examples come from; `None` takes them from the tasks themselves.
    pub examples: Option<&'a TaskSet>,
}

/// What a drive brought home.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Driven {
    /// Generations before the measured ones, and those that primed a warm prefix cache (`prime-TASK`).
    pub warmup: Vec<Item>,
    /// The measured generations, pass by pass in the order of the tasks.
    pub items: Vec<Item>,
    /// Every measured prompt as rendered, in order.
    pub renders: Vec<Render>,
    /// Fingerprint of the task set; unset for synthetic prompts.
    pub task_set_fingerprint: Stated<String>,
    /// Fingerprint over the rendered prompts' text.
    pub prompt_fingerprint: Stated<String>,
    /// Fingerprint over their token ids; unknown where the engine does not give them.
    pub prompt_ids_fingerprint: Stated<String>,
    /// Whether the rendered prompts ask for thinking; unset where there is no switch, or no conversation.
    pub thinking: Stated<bool>,
    /// State of the prefix cache, verified by the cached-token counts; unknown where an engine gives none.
    pub prefix_cache: Stated<CacheState>,
    /// Memory and the like; the caller adds the time for loading.
    pub around: Around,
    /// Why nothing was measured: requests met nobody who answered.
    pub outage: Option<String>,
    /// Why the run does not count: the replies contradict the condition.
    pub void: Option<String>,
    /// What a reader of the numbers must know.
    pub warnings: Vec<String>,
}

/// A rendered prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Render {
    /// Id of its task.
    pub id: String,
    /// The text as sent.
    pub text: String,
}

/// Told after each generation, never inside one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// It belonged to the warm-up.
    pub warmup: bool,
    /// Generations done, warm-up included.
    pub done: usize,
    /// Generations in all.
    pub total: usize,
    /// Tokens of this one.
    pub tokens: Option<u32>,
    /// Seconds of this one, or for reading the options of a task.
    pub seconds: Option<f64>,
}

/// Why a drive ended without items.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// Neither tasks nor a synthetic length.
    #[error("workload {workload}: neither `tasks` nor `prompt_tokens` and `gen_tokens`; give one of them")]
    NothingToAsk {
        /// Name of the workload.
        workload: String,
    },
    /// No limit for the replies.
    #[error("workload {workload}: replies have no limit: set `max_tokens`, or `gen_tokens` in the workload")]
    NoLimit {
        /// Name of the workload.
        workload: String,
    },
    /// A task cannot become a conversation.
    #[error(transparent)]
    Conversation(#[from] ConversationError),
    /// The engine failed outside of a generation.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Every generation failed.
    #[error("all {count} generations failed; the first: {first}")]
    AllFailed {
        /// How many.
        count: usize,
        /// Error of the first.
        first: String,
    },
}

impl Driven {
    /// Writes what was found into a condition.
    pub fn observe(&self, found: &mut Observed) {
        found.task_set_fingerprint = self.task_set_fingerprint.clone();
        found.prompt_fingerprint = self.prompt_fingerprint.clone();
        found.prompt_ids_fingerprint = self.prompt_ids_fingerprint.clone();
        found.thinking = self.thinking;
        if self.task_set_fingerprint == Stated::Unset {
            // Synthetic prompts come from no template.
            found.template_date = Stated::Unset;
        }
        found.prefix_cache = self.prefix_cache;
    }
}
