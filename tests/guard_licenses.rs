//! What may be compared, and what it is called.

use crate::support::record::{measured, observed, quantize, record, think};
use planrun::compare::{FieldFinding, compare_pair, explain, license, license_planned};
use planrun::condition::{Field, Stated};

#[test]
fn a_model_change_with_all_that_it_implies_is_one_field() {
    let before = record(4);
    let mut after = record(4);
    after.condition.asked.model = Stated::Set("hf:someone/else@1".into());
    let prompts = after.condition.found.prompt_fingerprint.clone();
    let tasks = after.condition.found.task_set_fingerprint.clone();
    after.condition.found = observed(&after.condition.asked);
    after.condition.found.prompt_fingerprint = prompts;
    after.condition.found.task_set_fingerprint = tasks;
    after.condition.found.prompt_ids_fingerprint = Stated::Set("other ids".into());
    let license = license(&before, &after, &[], true).expect("one field");
    assert_eq!(license.field(), Some(Field::Model));
    let implied = license.implied();
    for field in
        [Field::Source, Field::Weights, Field::Tokenizer, Field::ChatTemplate, Field::PromptIdsFingerprint]
    {
        assert!(implied.contains(&field), "{field} follows from the model");
    }
}

#[test]
fn a_rebuilt_planrun_with_the_same_harness_repeats_the_condition() {
    let mut before = record(4);
    let mut after = record(4);
    before.context.planrun = Some("one binary".into());
    after.context.planrun = Some("another binary".into());
    after.context.git = Some("abc+dirty".into());
    let license = license(&before, &after, &[], true).expect("nothing varies");
    assert_eq!(license.field(), None);
}

#[test]
fn a_new_harness_is_a_field_like_any_other() {
    let before = record(4);
    let mut after = record(4);
    after.condition.found.harness = Stated::Set(99);
    let license = license(&before, &after, &[], true).expect("one field");
    assert_eq!(license.field(), Some(Field::Harness));
}

#[test]
fn an_option_unknown_on_both_sides_of_one_runtime_and_plan_is_the_same() {
    let mut before = record(4);
    let mut after = record(4);
    quantize(&mut after, "q4_0", 4.5);
    for record in [&mut before, &mut after] {
        record.condition.found.prefill_chunk = Stated::Unknown;
        record.condition.asked.prefill_chunk = Stated::Unknown;
    }
    let license = license(&before, &after, &[], true).expect("one field");
    assert_eq!(license.field(), Some(Field::Quantization));
    assert!(license.assumed.is_empty());
}

#[test]
fn an_unknown_consequence_of_the_one_cause_is_counted_with_it() {
    let before = record(4);
    let mut after = record(4);
    quantize(&mut after, "q4_0", 4.5);
    after.condition.found.bits_per_weight = Stated::Unknown;
    let mut other = before.clone();
    other.condition.found.weights = Stated::Set("other bytes".into());
    let license = license(&other, &after, &[], true).expect("one field");
    assert_eq!(license.field(), Some(Field::Quantization));
    assert!(license.implied().contains(&Field::BitsPerWeight));
}

#[test]
fn a_planned_edge_with_another_cause_is_refused_and_both_are_named() {
    let before = record(4);
    let mut after = record(4);
    think(&mut after, true);
    let mut off = before.clone();
    think(&mut off, false);
    assert!(license_planned(&off, &after, &[], Field::Thinking).is_ok());
    let refusal = license_planned(&off, &after, &[], Field::Quantization).unwrap_err();
    assert_eq!(refusal.planned, Some(Field::Quantization));
    assert_eq!(refusal.headline, "planned: quantization varies; found: thinking varies");
}

#[test]
fn a_pair_of_runs_is_labelled_and_says_that_it_has_no_noise_estimate() {
    let mut before = record(4);
    let mut after = record(4);
    quantize(&mut after, "q4_0", 4.5);
    measured(&mut before, "decode_tok_s", 100.0);
    measured(&mut after, "decode_tok_s", 110.0);
    measured(&mut before, "quality", 0.75);
    measured(&mut after, "quality", 0.5);
    let pair = compare_pair(&before, &after, &[]).expect("one field varies");
    assert_eq!(pair.license.field(), Some(Field::Quantization));
    assert_eq!(pair.remarks, ["n = 1 a side: no noise estimate"]);
    let delta = |name: &str| pair.deltas.iter().find(|delta| delta.metric == name).and_then(|it| it.delta);
    assert!(delta("decode_tok_s").is_some_and(|delta| (delta - 10.0).abs() < 1e-9));
    assert!(delta("quality").is_some_and(|delta| (delta + 25.0).abs() < 1e-9));
}

#[test]
fn tokens_per_second_never_cross_a_tokenizer() {
    let mut before = record(4);
    let mut after = record(4);
    after.condition.found.tokenizer = Stated::Set("other".into());
    for record in [&mut before, &mut after] {
        measured(record, "decode_tok_s", 100.0);
        measured(record, "full_reply_s", 1.0);
    }
    let pair = compare_pair(&before, &after, &[]).expect("one field varies");
    let of = |name: &str| pair.deltas.iter().find(|delta| delta.metric == name).expect("measured");
    assert_eq!(of("decode_tok_s").delta, None);
    assert!(of("decode_tok_s").reason.as_ref().is_some_and(|reason| reason.contains("chars_per_s")));
    assert_eq!(of("full_reply_s").delta, Some(0.0));
}

#[test]
fn an_explanation_lists_every_field_and_the_steps_between_two_records() {
    let mut before = record(4);
    think(&mut before, false);
    let mut after = before.clone();
    quantize(&mut after, "q4_0", 4.5);
    think(&mut after, true);
    let explanation = explain(&before, &after, &[], true);
    assert_eq!(explanation.rows.len(), Field::ALL.len());
    let of = |field: Field| explanation.rows.iter().find(|row| row.field == field).expect("listed");
    assert_eq!(of(Field::Quantization).finding, FieldFinding::Varies);
    assert_eq!(of(Field::PromptFingerprint).finding, FieldFinding::ImpliedBy(Field::Thinking));
    assert_eq!(of(Field::Seed).before_asked.as_deref(), Some("unset"));
    assert_eq!(of(Field::Seed).finding, FieldFinding::Same);
    let steps: Vec<Field> = explanation.steps.iter().map(|step| step.field).collect();
    assert_eq!(steps, [Field::Quantization, Field::Thinking]);
    assert_eq!(explanation.steps[0].ends_at, ["quantization=q4_0"]);
    assert!(explanation.steps[1].ends_at.is_empty());
}
