//! What a refusal carries: the fields that vary, side by side, and what would make the pair legal.

use crate::condition::{Field, Origin};
use serde::Serialize;

/// Why two records may not be compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Refusal {
    /// Fields that vary of themselves, then those that are unknown and not assumed.
    pub fields: Vec<Field>,
    /// `3 controlled fields vary (quantization, thinking, task_set_fingerprint)`.
    pub headline: String,
    /// Each varied, implied or unknown field, before and after.
    pub rows: Vec<RefusalRow>,
    /// The field that the plan meant to vary, where the refused pair is a planned edge.
    pub planned: Option<Field>,
    /// What changed in the task set, where it changed.
    pub tasks: Option<TaskChanges>,
    /// The first prompt that differs, where prompts differ.
    pub render: Option<RenderChange>,
    /// What to do to get a legal pair; the last line is a command where one exists.
    pub remedies: Vec<String>,
}

/// One line of a refusal's table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RefusalRow {
    /// Which field.
    pub field: Field,
    /// Value on the first side, in words.
    pub before: String,
    /// Value on the second side, in words.
    pub after: String,
    /// Where the first side's value comes from.
    pub before_origin: Origin,
    /// Where the second side's value comes from.
    pub after_origin: Origin,
    /// The cause that it follows from; `None` for a field that varies of itself.
    pub implied_by: Option<Field>,
    /// One side (or both) is unknown.
    pub unknown: bool,
}

/// Difference of two task sets, told by item ids and prompt fingerprints.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct TaskChanges {
    /// `2 tasks added under the same name: ...`, in words.
    pub summary: String,
    /// Only on the second side.
    pub added: Vec<TaskChange>,
    /// Only on the first side.
    pub removed: Vec<TaskChange>,
    /// On both sides, with another prompt.
    pub changed: Vec<TaskChange>,
}

/// One task of a [`TaskChanges`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskChange {
    /// Id of the task.
    pub id: String,
    /// Fingerprint (12 digits) of its rendered prompt.
    pub prompt: String,
    /// The rendered prompt, where the store kept it.
    pub text: Option<String>,
}

/// The first prompt that differs between two records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RenderChange {
    /// Id of the task.
    pub id: String,
    /// The first side's rendered prompt from a little before the first difference, or its fingerprint.
    pub before: String,
    /// The same of the second side.
    pub after: String,
}
