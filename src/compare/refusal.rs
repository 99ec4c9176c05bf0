//! What a refusal carries: the fields that vary, side by side, and what would make the pair legal.

use super::remedy::remedies;
use super::task_changes::{render_change, task_changes};
use crate::condition::{Difference, Field, Origin, Varied};
use crate::record::RunRecord;
use serde::Serialize;
use std::fmt::Write as _;

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

/// Builds the refusal of a pair that varies in more than one field, or in unknown ones.
pub(super) fn refuse(before: &RunRecord, after: &RunRecord, varied: &Varied) -> Refusal {
    let mut fields = varied.fields();
    fields.extend(varied.unknown.iter().map(|gap| gap.field));
    Refusal {
        fields,
        headline: headline(varied),
        rows: rows(varied),
        planned: None,
        tasks: task_changes(before, after, &varied.causes),
        render: render_change(before, after, &varied.causes),
        remedies: remedies(before, after, varied),
    }
}

fn headline(varied: &Varied) -> String {
    let causes = varied.fields();
    let unknown: Vec<Field> = varied.unknown.iter().map(|gap| gap.field).collect();
    let verb = if causes.len() == 1 { "controlled field varies" } else { "controlled fields vary" };
    let mut text = format!("{} {verb}", causes.len());
    if !causes.is_empty() {
        let _ = write!(text, " ({})", names(&causes));
    }
    if !unknown.is_empty() {
        let verb = if unknown.len() == 1 { "is" } else { "are" };
        let _ = write!(text, ", and {} {verb} unknown ({})", unknown.len(), names(&unknown));
    }
    text
}

pub(super) fn names(fields: &[Field]) -> String {
    fields.iter().map(|field| field.name()).collect::<Vec<_>>().join(", ")
}

fn rows(varied: &Varied) -> Vec<RefusalRow> {
    let mut rows = Vec::new();
    for cause in &varied.causes {
        rows.push(row(&cause.difference, None));
        rows.extend(cause.implied.iter().map(|implied| row(implied, Some(cause.difference.field))));
    }
    rows.extend(varied.unknown.iter().map(|gap| row(gap, None)));
    rows
}

pub(super) fn row(difference: &Difference, implied_by: Option<Field>) -> RefusalRow {
    let Difference { field, before, after } = difference;
    RefusalRow {
        field: *field,
        before: before.shown(),
        after: after.shown(),
        before_origin: before.origin,
        after_origin: after.origin,
        implied_by,
        unknown: before.value.is_unknown() || after.value.is_unknown(),
    }
}

/// Characters shown around the first difference of two prompts.
const WINDOW: usize = 60;

impl Refusal {
    /// Fills in the rendered prompts' texts, where `text_of` knows them by their fingerprint.
    #[must_use]
    pub fn with_renders(mut self, text_of: &dyn Fn(&str) -> Option<String>) -> Self {
        if let Some(tasks) = &mut self.tasks {
            let lists = [&mut tasks.added, &mut tasks.removed, &mut tasks.changed];
            for change in lists.into_iter().flatten() {
                change.text = text_of(&change.prompt);
            }
        }
        if let Some(render) = &mut self.render
            && let (Some(before), Some(after)) = (text_of(&render.before), text_of(&render.after))
        {
            (render.before, render.after) = around_first_difference(&before, &after);
        }
        self
    }
}

fn around_first_difference(before: &str, after: &str) -> (String, String) {
    let same = before.chars().zip(after.chars()).take_while(|(one, other)| one == other).count();
    let start = same.saturating_sub(WINDOW / 2);
    let cut = |text: &str| {
        let shown: String = text.chars().skip(start).take(WINDOW).collect();
        let lead = if start > 0 { "..." } else { "" };
        let tail = if text.chars().count() > start + WINDOW { "..." } else { "" };
        format!("{lead}{shown}{tail}")
    };
    (cut(before), cut(after))
}
