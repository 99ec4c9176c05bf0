//! What would make a refused pair legal.

use crate::condition::{Cause, Field, Settings, Varied, asked_states};
use crate::record::RunRecord;
use serde_json::Value;

/// The ways to a legal pair, in the order of the varied fields; commands come last.
pub(super) fn remedies(before: &RunRecord, after: &RunRecord, varied: &Varied) -> Vec<String> {
    let mut lines = Vec::new();
    let mut settings = Vec::new();
    for field in extra_fields(&varied.causes) {
        match set_option(before, field) {
            Some(option) => settings.push(option),
            None => lines.push(in_words(field)),
        }
    }
    if !settings.is_empty() {
        lines.push(format!(
            "vary one field at a time, the others as in the first record: planrun run plans/{}.toml {}",
            after.plan.name,
            settings.join(" ")
        ));
    }
    if !varied.unknown.is_empty() {
        let options: Vec<String> =
            varied.unknown.iter().map(|gap| format!("--assume {}", gap.field)).collect();
        lines.push(format!(
            "if you know that they are equal, say so by name: planrun compare A B {}",
            options.join(" ")
        ));
    }
    lines
}

/// All causes but the one that may go on varying: the first that can be set, so that the others are what must go.
fn extra_fields(causes: &[Cause]) -> Vec<Field> {
    let fields: Vec<Field> = causes.iter().map(|cause| cause.difference.field).collect();
    let kept = fields.iter().position(|&field| is_setting(field)).unwrap_or(0);
    let others = fields.iter().enumerate().filter(|&(at, _)| at != kept);
    if fields.len() > 1 { others.map(|(_, &field)| field).collect() } else { Vec::new() }
}

/// True for a field that a plan can set.
pub(super) fn is_setting(field: Field) -> bool {
    field != Field::Deployment && asked_states(&Settings::default()).iter().any(|(known, _)| *known == field)
}

/// `--set settings.KEY=VALUE` with the record's asked value, where it has one.
fn set_option(record: &RunRecord, field: Field) -> Option<String> {
    let asked = serde_json::to_value(&record.condition.asked).ok()?;
    let value = asked.get(field.name()).filter(|value| !value.is_null() && is_setting(field))?;
    let assignment = match value {
        Value::String(text) => format!("settings.{field}={text}"),
        other => format!("settings.{field}={other}"),
    };
    let plain = assignment.chars().all(|c| c.is_ascii_alphanumeric() || "._-=/:".contains(c));
    Some(if plain {
        format!("--set {assignment}")
    } else {
        format!("--set '{}'", assignment.replace('\'', "'\\''"))
    })
}

fn in_words(field: Field) -> String {
    match field {
        Field::TaskSetFingerprint => "give the task set a new name and run the baseline again on it".into(),
        Field::PromptFingerprint | Field::PromptIdsFingerprint => {
            "find what changed the rendered prompts (a date in a template, a hidden setting), fix it, and run both sides again"
                .into()
        }
        Field::Hardware => "run both sides on one machine".into(),
        Field::Runtime | Field::BuildFlags => "run both sides with one build of the engine".into(),
        Field::Harness => "run both sides with one version of planrun".into(),
        Field::Weights | Field::Source | Field::FileFormat => "run both sides from one weight file".into(),
        other => format!("run both sides with the same {other}"),
    }
}
