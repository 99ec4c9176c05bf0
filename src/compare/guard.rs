//! The guard: one controlled field may vary between two records, with what follows from it; more is refused.

use super::refusal::{Refusal, refuse};
use crate::condition::{
    Cause, Condition, Difference, Field, OF_A_SERVER, Varied, implied_by, members, varied,
};
use crate::record::RunRecord;
use serde::Serialize;

/// Permission to print a delta, and what it may be called.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct License {
    /// The one field that varies, with its consequences; `None` when the records repeat one condition.
    pub cause: Option<Cause>,
    /// Unknown fields that were taken as equal because the caller named them.
    pub assumed: Vec<Field>,
}

impl License {
    /// The one field that varies; `None` for a repetition.
    pub fn field(&self) -> Option<Field> {
        self.cause.as_ref().map(|cause| cause.difference.field)
    }

    /// The fields that vary as a consequence.
    pub fn implied(&self) -> Vec<Field> {
        self.cause.iter().flat_map(|cause| &cause.implied).map(|difference| difference.field).collect()
    }
}

/// Licenses or refuses the comparison of two records.
///
/// `assume`: unknown fields to take as equal. `same_plan`: both records belong to one plan, so that an option that is
/// unknown on both sides of one runtime is the same on both.
///
/// # Errors
/// A [`Refusal`] when more than one field varies of itself, or a field is unknown and not assumed.
pub fn license(
    before: &RunRecord,
    after: &RunRecord,
    assume: &[Field],
    same_plan: bool,
) -> Result<License, Box<Refusal>> {
    let (varied, assumed) = settled(before, after, assume, same_plan);
    if varied.causes.len() > 1 || !varied.unknown.is_empty() {
        return Err(Box::new(refuse(before, after, &varied)));
    }
    Ok(License { cause: varied.causes.into_iter().next(), assumed })
}

/// As [`license`], for an edge that a plan meant to vary in `planned`: another cause than that is refused as well.
///
/// # Errors
/// A [`Refusal`] that names both the planned field and what was found to vary.
pub fn license_planned(
    before: &RunRecord,
    after: &RunRecord,
    assume: &[Field],
    planned: Field,
) -> Result<License, Box<Refusal>> {
    let license = license(before, after, assume, true).map_err(|mut refusal| {
        refusal.planned = Some(planned);
        refusal
    })?;
    match license.field() {
        Some(found) if found != planned => {
            let (varied, _) = settled(before, after, assume, true);
            let mut refusal = refuse(before, after, &varied);
            refusal.headline = format!("planned: {planned} varies; found: {found} varies");
            refusal.planned = Some(planned);
            Err(Box::new(refusal))
        }
        _ => Ok(license),
    }
}

/// What varies after every unknown field that may be settled has been: implied by the one cause, unknown on both sides
/// of one plan and runtime, or assumed by name.
pub(super) fn settled(
    before: &RunRecord,
    after: &RunRecord,
    assume: &[Field],
    same_plan: bool,
) -> (Varied, Vec<Field>) {
    let mut varied = varied(&before.condition, &after.condition);
    let one_runtime = same_plan && one_runtime(&before.condition, &after.condition);
    let gaps = std::mem::take(&mut varied.unknown);
    let unknown_source = gaps.iter().any(|gap| gap.field == Field::Source && !gap.unknown_on_both_sides());
    let bundled = members(&before.condition.asked, &after.condition.asked);
    let mut assumed = Vec::new();
    for gap in gaps {
        if one_runtime && gap.unknown_on_both_sides() {
            continue;
        }
        if assume.contains(&gap.field) {
            assumed.push(gap.field);
        } else if let Some(cause) = cause_of(&mut varied.causes, &gap, &bundled, unknown_source) {
            cause.implied.push(gap);
        } else {
            varied.unknown.push(gap);
        }
    }
    (varied, assumed)
}

/// One program answered both: a runtime that was read, or, where a server does not tell it, one address.
fn one_runtime(before: &Condition, after: &Condition) -> bool {
    let known = before.found.runtime.get().is_some() || before.asked.url.get().is_some();
    known && before.found.runtime == after.found.runtime && before.asked.url == after.asked.url
}

/// The only cause, if the unknown field would follow from it anyway.
fn cause_of<'a>(
    causes: &'a mut [Cause],
    gap: &Difference,
    bundled: &[Field],
    unknown_source: bool,
) -> Option<&'a mut Cause> {
    let [cause] = causes else { return None };
    let field = cause.difference.field;
    if field == Field::Deployment {
        let explains = |member: &Field| {
            let of_a_server = *member == Field::Url && OF_A_SERVER.contains(&gap.field);
            of_a_server || *member == gap.field || follows_from(*member, gap.field)
        };
        return bundled.iter().any(explains).then_some(cause);
    }
    let other_server =
        field == Field::Url || cause.implied.iter().any(|difference| difference.field == Field::Url);
    let explains = follows_from(field, gap.field) && !(field == Field::Quantization && unknown_source);
    (explains || (other_server && OF_A_SERVER.contains(&gap.field))).then_some(cause)
}

/// True if a difference in `cause` explains one in `field`, directly or through what it implies.
fn follows_from(cause: Field, field: Field) -> bool {
    implied_by(cause).iter().any(|&next| next == field || follows_from(next, field))
}
