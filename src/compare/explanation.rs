//! Two records laid side by side, field by field, and the legal steps between them.

use super::guard::settled;
use crate::condition::{Cause, Condition, Field, State, Stated, states};
use crate::record::RunRecord;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Everything that the guard looked at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// Every controlled field, in the order of tables.
    pub rows: Vec<ExplainedField>,
    /// Fields that vary of themselves.
    pub causes: Vec<Field>,
    /// Unknown fields that nothing settles.
    pub unknown: Vec<Field>,
    /// Steps that each change one field: the first starts at the first record, the last ends at the second. Empty when
    /// at most one field varies.
    pub steps: Vec<Step>,
}

/// One field of both records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedField {
    /// Which field.
    pub field: Field,
    /// Asked on the first side; `None` where it is not something that is asked.
    pub before_asked: Option<String>,
    /// Found on the first side; `None` where it is not something that is read.
    pub before_found: Option<String>,
    /// Asked on the second side.
    pub after_asked: Option<String>,
    /// Found on the second side.
    pub after_found: Option<String>,
    /// What the guard makes of it.
    pub finding: FieldFinding,
}

/// What the guard makes of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldFinding {
    /// Equal, or settled as equal.
    Same,
    /// Varies of itself.
    Varies,
    /// Varies because another field does.
    ImpliedBy(Field),
    /// Unknown, and nothing settles it.
    Unknown,
    /// Unknown, and taken as equal because the caller said so.
    Assumed,
}

/// One legal step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// The field that this step changes.
    pub field: Field,
    /// Its value before, in words.
    pub before: String,
    /// Its value after, in words.
    pub after: String,
    /// What changes with it.
    pub implied: Vec<Field>,
    /// The condition that the step ends at, in words: the first record with these fields changed. Empty for the last
    /// step, which ends at the second record.
    pub ends_at: Vec<String>,
}

/// Explains what the guard sees between two records.
pub fn explain(before: &RunRecord, after: &RunRecord, assume: &[Field], same_plan: bool) -> Explanation {
    let (varied, assumed) = settled(before, after, assume, same_plan);
    let unknown: Vec<Field> = varied.unknown.iter().map(|gap| gap.field).collect();
    let finding = |field: Field| {
        let implied = |cause: &&Cause| cause.implied.iter().any(|it| it.field == field);
        if varied.fields().contains(&field) {
            FieldFinding::Varies
        } else if unknown.contains(&field) {
            FieldFinding::Unknown
        } else if assumed.contains(&field) {
            FieldFinding::Assumed
        } else if let Some(cause) = varied.causes.iter().find(implied) {
            FieldFinding::ImpliedBy(cause.difference.field)
        } else {
            FieldFinding::Same
        }
    };
    let (old, new) = (Sides::of(&before.condition), Sides::of(&after.condition));
    let row = |&field: &Field| ExplainedField {
        field,
        before_asked: old.asked(field),
        before_found: old.found(field),
        after_asked: new.asked(field),
        after_found: new.found(field),
        finding: finding(field),
    };
    let rows = Field::ALL.iter().map(row).collect();
    Explanation { rows, causes: varied.fields(), unknown, steps: steps(&varied.causes) }
}

/// The two sides of one condition as words by field.
struct Sides {
    asked: BTreeMap<String, Value>,
    found: BTreeMap<String, Value>,
    effective: BTreeMap<Field, State>,
}

impl Sides {
    fn of(condition: &Condition) -> Self {
        Self {
            asked: fields_of(&condition.asked),
            found: fields_of(&condition.found),
            effective: states(condition).into_iter().collect(),
        }
    }

    fn asked(&self, field: Field) -> Option<String> {
        let workload = [Field::Workload, Field::Passes, Field::Isolation].contains(&field);
        if workload {
            self.effective.get(&field).map(State::shown)
        } else {
            self.asked.get(field.name()).map(words)
        }
    }

    fn found(&self, field: Field) -> Option<String> {
        self.found.get(field.name()).map(words)
    }
}

fn fields_of<T: Serialize>(side: &T) -> BTreeMap<String, Value> {
    match serde_json::to_value(side) {
        Ok(Value::Object(map)) => map.into_iter().collect(),
        _ => BTreeMap::new(),
    }
}

fn words(value: &Value) -> String {
    let value = if value.is_null() { Stated::Unset } else { Stated::Set(value.clone()) };
    State { value, origin: crate::condition::Origin::Asked }.shown()
}

fn steps(causes: &[Cause]) -> Vec<Step> {
    if causes.len() < 2 {
        return Vec::new();
    }
    let changed = |cause: &Cause| format!("{}={}", cause.difference.field, cause.difference.after.shown());
    let step = |(at, cause): (usize, &Cause)| Step {
        field: cause.difference.field,
        before: cause.difference.before.shown(),
        after: cause.difference.after.shown(),
        implied: cause.implied.iter().map(|it| it.field).collect(),
        ends_at: if at + 1 < causes.len() { causes[..=at].iter().map(changed).collect() } else { Vec::new() },
    };
    causes.iter().enumerate().map(step).collect()
}
