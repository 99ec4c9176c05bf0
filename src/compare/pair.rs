//! Two single records: deltas labelled with the one varied field, or a refusal. One run a side says nothing of noise.

use super::findings::{DeltaUnit, Direction};
use super::guard::{License, license};
use super::refusal::Refusal;
use super::spec::Spec;
use crate::condition::Field;
use crate::record::{Outcome, RunRecord};
use serde::Serialize;

/// The licensed comparison of two records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairComparison {
    /// What varies.
    pub license: License,
    /// Every metric that both records have.
    pub deltas: Vec<PairDelta>,
    /// What a reader must know.
    pub remarks: Vec<String>,
}

/// The difference of one metric between two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairDelta {
    /// Name of the metric.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Which direction is better.
    pub direction: Direction,
    /// Value of the first record.
    pub before: Option<f64>,
    /// Value of the second record.
    pub after: Option<f64>,
    /// After minus before, in `delta_unit`; `None` where a value is missing or the unit changed.
    pub delta: Option<f64>,
    /// Unit of the delta.
    pub delta_unit: DeltaUnit,
    /// Why there is no delta.
    pub reason: Option<String>,
}

/// Compares two records, if the guard lets it.
///
/// # Errors
/// A [`Refusal`] when more than one controlled field varies, or one is unknown and not assumed.
pub fn compare_pair(
    before: &RunRecord,
    after: &RunRecord,
    assume: &[Field],
) -> Result<PairComparison, Box<Refusal>> {
    let license = license(before, after, assume, before.plan.hash == after.plan.hash)?;
    let tokenizer =
        license.field() == Some(Field::Tokenizer) || license.implied().contains(&Field::Tokenizer);
    let names = before.measurement.keys().filter(|name| after.measurement.contains_key(*name));
    let deltas = names.map(|name| delta(name, before, after, tokenizer)).collect();
    let remarks = remarks(before, after);
    Ok(PairComparison { license, deltas, remarks })
}

fn delta(name: &str, before: &RunRecord, after: &RunRecord, tokenizer: bool) -> PairDelta {
    let (old, new) = (before.measurement.get(name), after.measurement.get(name));
    let spec = Spec::of(name, old);
    let values = (old.and_then(|it| it.value), new.and_then(|it| it.value));
    let redefined = old.map(|it| &it.definition) != new.map(|it| &it.definition);
    let reason = if tokenizer && spec.counts_tokens() {
        Some(format!(
            "unit changed: tokens of two tokenizers; read {} instead",
            Spec::instead().join(" and ")
        ))
    } else if redefined {
        Some("the two records define this metric differently".into())
    } else {
        let missing = old.filter(|it| it.value.is_none()).or(new.filter(|it| it.value.is_none()));
        missing.map(|it| it.reason.clone().unwrap_or_else(|| "not measured".into()))
    };
    let difference = values.0.zip(values.1).and_then(|(old, new)| {
        let (old, new) = (spec.scale.judged(old)?, spec.scale.judged(new)?);
        Some(spec.scale.shown(new - old))
    });
    PairDelta {
        metric: name.to_owned(),
        unit: spec.unit.clone(),
        direction: spec.direction,
        before: values.0,
        after: values.1,
        delta: difference.filter(|_| reason.is_none()),
        delta_unit: spec.scale.unit(),
        reason,
    }
}

fn remarks(before: &RunRecord, after: &RunRecord) -> Vec<String> {
    let mut remarks = vec!["n = 1 a side: no noise estimate".to_owned()];
    for record in [before, after] {
        if let Outcome::Failed { error, .. } = &record.outcome {
            remarks.push(format!("run {} failed: {error}", record.id));
        }
    }
    remarks
}
