//! Which controlled fields differ between two conditions, and which of the differences follow from another.

use super::state::{asked_states, states};
use super::{Condition, Field, Settings, State, Stated};
use serde::Serialize;
use std::collections::BTreeMap;

/// A field whose values differ, or of which one side is unknown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Which field.
    pub field: Field,
    /// Value on the first side.
    pub before: State,
    /// Value on the second side.
    pub after: State,
}

/// A field that varies of itself, with the differences that it carries along.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cause {
    /// The difference that counts.
    pub difference: Difference,
    /// Consequences, counted once with their cause and always printed.
    pub implied: Vec<Difference>,
}

/// The outcome of laying two conditions side by side.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Varied {
    /// Fields that vary of themselves. One is a comparison, none a repetition, more are refused.
    pub causes: Vec<Cause>,
    /// Fields of which at least one side is unknown and no equal field settles it.
    pub unknown: Vec<Difference>,
}

impl Varied {
    /// Names of the fields that vary of themselves.
    pub fn fields(&self) -> Vec<Field> {
        self.causes.iter().map(|cause| cause.difference.field).collect()
    }
}

/// Compares two conditions: the rule that licenses or refuses every delta.
pub fn varied(before: &Condition, after: &Condition) -> Varied {
    let both = [&before.asked, &after.asked];
    compare(states(before), states(after), &members(both[0], both[1]), both.into_iter().any(is_outside))
}

/// Compares two settings before anything has run: the same rule, which draws the edges of the comparison graph.
pub fn varied_settings(before: &Settings, after: &Settings) -> Varied {
    let outside = [before, after].into_iter().any(is_outside);
    compare(asked_states(before), asked_states(after), &members(before, after), outside)
}

/// What comes with a model: its source, and what comes with that.
const OF_A_MODEL: &[Field] = &[
    Field::Source,
    Field::Weights,
    Field::BitsPerWeight,
    Field::FileFormat,
    Field::Tokenizer,
    Field::ChatTemplate,
    Field::TemplateDate,
    Field::SpecialTokens,
    Field::PromptFingerprint,
    Field::PromptIdsFingerprint,
];

/// Fields that a difference in `cause` explains; `deployment` explains its own members and what they imply.
///
/// | cause | implies |
/// |---|---|
/// | model | source, weights, bits per weight, file format, tokenizer, chat template, special tokens, rendered prompt |
/// | source | what the model implies, without the source |
/// | quantization, from the same declared source | weights, bits per weight, file format |
/// | model or source, where two runtimes of one version inside this program compute the two | runtime, prefill chunk |
/// | engine | program or server, runtime, build flags, placement names |
/// | url | runtime, build flags; where two servers differ, their machines and what else they do |
/// | runtime | build flags |
/// | thinking | effort, budget, rendered prompt |
/// | chat template | a day in the prompts that only one side has, rendered prompt |
/// | task set, few-shot, question template, system prompt, template date, special tokens | rendered prompt |
/// | tokenizer | token ids of the prompt |
/// | harness | runtime and build flags of the in-process engine |
pub fn implied_by(cause: Field) -> &'static [Field] {
    use Field as F;
    match cause {
        F::Model => OF_A_MODEL,
        F::Source => OF_A_MODEL.split_at(1).1,
        F::Quantization => &[F::Weights, F::BitsPerWeight, F::FileFormat],
        F::Engine => &[F::Url, F::Arguments, F::ModelFiles, F::Runtime, F::BuildFlags, F::Placement],
        F::Runtime => &[F::BuildFlags],
        F::Thinking => &[F::ThinkingEffort, F::ThinkingBudget, F::PromptFingerprint, F::PromptIdsFingerprint],
        F::ChatTemplate => &[F::TemplateDate, F::PromptFingerprint, F::PromptIdsFingerprint],
        F::TaskSetFingerprint
        | F::FewShot
        | F::QuestionTemplate
        | F::SystemPrompt
        | F::TemplateDate
        | F::SpecialTokens => &[F::PromptFingerprint, F::PromptIdsFingerprint],
        F::PromptFingerprint | F::Tokenizer => &[F::PromptIdsFingerprint],
        F::Url | F::Harness => &[F::Runtime, F::BuildFlags],
        _ => &[],
    }
}

/// What comes with a server that was there already. Only another server explains a difference in it: another engine alone
/// is no reason for another machine.
pub(crate) const OF_A_SERVER: &[Field] = &[Field::Hardware, Field::Isolation];

/// True if an equal, known field settles this one where it is unknown itself.
fn settled(gap: &Difference, equal: &BTreeMap<Field, State>) -> bool {
    match gap.field {
        // Without the binary's hash, one version may be built in many ways.
        Field::BuildFlags => equal.get(&Field::Runtime).is_some_and(has_binary),
        Field::BitsPerWeight | Field::FileFormat | Field::Source => equal.contains_key(&Field::Weights),
        Field::PromptIdsFingerprint => equal.contains_key(&Field::PromptFingerprint),
        // Records made before the day was read do not have it; what differs then shows in the rendered prompt.
        Field::TemplateDate => {
            let known_day = |state: &State| matches!(state.value, Stated::Set(_));
            let one_day = known_day(&gap.before) || known_day(&gap.after);
            equal.contains_key(&Field::PromptFingerprint)
                || gap.unknown_on_both_sides()
                || (!one_day && equal.contains_key(&Field::ChatTemplate))
        }
        // Records made before there were engines outside, or replies held to anything, do not have them.
        Field::Url | Field::Arguments | Field::ModelFiles | Field::JsonSchema | Field::Grammar => {
            gap.before.value.get().is_none() && gap.after.value.get().is_none()
        }
        _ => false,
    }
}

/// True for the runtime of an engine outside, whose binary was hashed.
fn has_binary(runtime: &State) -> bool {
    runtime.value.get().is_some_and(|value| value.get("binary").is_some())
}

fn version(runtime: &State) -> Option<&serde_json::Value> {
    runtime.value.get().and_then(|value| value.get("version"))
}

/// The fields that the deployments of either side bundle.
pub(crate) fn members(before: &Settings, after: &Settings) -> Vec<Field> {
    let bundles = [before.deployment.get(), after.deployment.get()];
    bundles.into_iter().flatten().flat_map(|bundle| bundle.members.iter().copied()).collect()
}

fn is_outside(settings: &Settings) -> bool {
    settings.engine.get().is_some_and(|engine| !engine.is_in_process())
}

/// `outside`: one of the two is computed by another program.
fn compare(
    before: Vec<(Field, State)>,
    after: Vec<(Field, State)>,
    members: &[Field],
    outside: bool,
) -> Varied {
    let after: BTreeMap<Field, State> = after.into_iter().collect();
    let mut differing = Vec::new();
    let mut unknown = Vec::new();
    let mut equal = BTreeMap::new();
    for (field, before) in before {
        let Some(after) = after.get(&field).cloned() else { continue };
        if before.value.is_unknown() || after.value.is_unknown() {
            unknown.push(Difference { field, before, after });
        } else if before.value == after.value {
            equal.insert(field, before);
        } else {
            differing.push(Difference { field, before, after });
        }
    }
    unknown.retain(|gap| !settled(gap, &equal));
    let same_source = equal.contains_key(&Field::Source);
    Varied { causes: group(differing, members, same_source, outside), unknown }
}

/// Attaches each difference to the first cause that explains it; what nothing explains is a cause itself.
fn group(differing: Vec<Difference>, members: &[Field], same_source: bool, outside: bool) -> Vec<Cause> {
    let present: Vec<Field> = differing.iter().map(|difference| difference.field).collect();
    // Another template may ask for the day or not; it does not explain another day.
    let two_days = differing.iter().any(|gap| {
        let days = gap.before.value.get().is_some() && gap.after.value.get().is_some();
        gap.field == Field::TemplateDate && days
    });
    // Which code inside this program computes a model is decided by the model's family.
    let other_code = differing
        .iter()
        .any(|gap| gap.field == Field::Runtime && !outside && version(&gap.before) == version(&gap.after));
    let chosen_chunks = differing.iter().any(|gap| {
        let both = gap.before.value.get().is_some() && gap.after.value.get().is_some();
        gap.field == Field::PrefillChunk && both
    });
    let other_day = |field: Field| two_days && field == Field::TemplateDate;
    let explains = |cause: Field, field: Field| match cause {
        Field::Deployment => {
            members.iter().any(|&member| member == field || (!other_day(field) && implies(member, field)))
        }
        _ if other_day(field) => false,
        Field::Url if OF_A_SERVER.contains(&field) => true,
        // A change of scheme explains other weight bytes only if both come from the same declared source.
        Field::Quantization => same_source && implies(cause, field),
        Field::Model | Field::Source if other_code && field == Field::Runtime => true,
        // A code that reads prompts in one pass has no chunk; two chosen ones are a choice.
        Field::Model | Field::Source if other_code && field == Field::PrefillChunk => !chosen_chunks,
        // Both codes are of one program: flags that differ have another cause.
        Field::Runtime if other_code => false,
        // planrun's own version says nothing about a program outside.
        Field::Harness => !outside && implies(cause, field),
        _ => implies(cause, field),
    };
    let cause_of =
        |field: Field| present.iter().copied().find(|&cause| cause != field && explains(cause, field));
    let (implied, own): (Vec<_>, Vec<_>) =
        differing.into_iter().partition(|difference| cause_of(difference.field).is_some());
    let mut causes: Vec<Cause> =
        own.into_iter().map(|difference| Cause { difference, implied: Vec::new() }).collect();
    for difference in implied {
        let Some(root) = root_of(difference.field, &cause_of) else { continue };
        if let Some(cause) = causes.iter_mut().find(|cause| cause.difference.field == root) {
            cause.implied.push(difference);
        }
    }
    causes
}

/// Follows causes upwards; the table has no cycles, and its chains are shorter than the number of fields.
fn root_of(field: Field, cause_of: &impl Fn(Field) -> Option<Field>) -> Option<Field> {
    std::iter::successors(Some(field), |&at| cause_of(at)).take(Field::ALL.len()).last()
}

/// True if `cause` explains `field`, directly or through what it implies.
fn implies(cause: Field, field: Field) -> bool {
    implied_by(cause).iter().any(|&next| next == field || implies(next, field))
}

impl Difference {
    /// True if both sides are unknown.
    pub fn unknown_on_both_sides(&self) -> bool {
        matches!((&self.before.value, &self.after.value), (Stated::Unknown, Stated::Unknown))
    }
}
