//! What may not be compared, and how the refusal says so.

use crate::support::record::{ask, quantize, record, render, think};
use planrun::compare::license;
use planrun::condition::{Field, Runtime, Stated};
use planrun::fingerprint;

#[test]
fn two_varied_fields_are_refused_and_both_are_named() {
    let mut before = record(8);
    think(&mut before, false);
    let mut after = before.clone();
    quantize(&mut after, "q4_0", 4.5);
    think(&mut after, true);
    let refusal = license(&before, &after, &[], true).unwrap_err();
    assert_eq!(refusal.fields, [Field::Quantization, Field::Thinking]);
    assert_eq!(refusal.headline, "2 controlled fields vary (quantization, thinking)");
    let implied: Vec<_> =
        refusal.rows.iter().filter_map(|row| row.implied_by.map(|by| (row.field, by))).collect();
    assert!(implied.contains(&(Field::BitsPerWeight, Field::Quantization)), "{implied:?}");
    assert!(implied.contains(&(Field::PromptFingerprint, Field::Thinking)), "{implied:?}");
    assert!(refusal.remedies.last().is_some_and(|line| line.contains("--set settings.thinking=false")));
}

#[test]
fn a_task_set_that_grew_under_the_same_name_is_told_with_its_new_tasks() {
    let before = record(8);
    let mut after = record(10);
    quantize(&mut after, "q4_0", 4.5);
    after.condition.found.weights = Stated::Set("other bytes".into());
    after.condition.found.file_format = Stated::Set("gguf".into());
    think(&mut after, true);
    let refusal = license(&before, &after, &[], true).unwrap_err();
    assert_eq!(refusal.fields, [Field::Quantization, Field::Thinking, Field::TaskSetFingerprint]);
    let tasks = refusal.tasks.as_ref().expect("the task set changed");
    let added: Vec<&str> = tasks.added.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(added, ["t8", "t9"]);
    assert!(tasks.removed.is_empty() && tasks.changed.is_empty());
    let told = "2 tasks added under the same name: give the set a new name and run the baseline again";
    assert_eq!(tasks.summary, told);
    assert!(refusal.to_string().contains(told));
}

#[test]
fn the_texts_of_added_tasks_are_shown_where_the_store_kept_them() {
    let mut after = record(3);
    quantize(&mut after, "q4_0", 4.5);
    let wanted = render("What is 2 + 2?", "");
    let of = |prompt: &str| {
        let known = fingerprint::short(&fingerprint::of_bytes(wanted.as_bytes())) == prompt;
        known.then(|| wanted.clone())
    };
    let refusal = license(&record(2), &after, &[], true).unwrap_err().with_renders(&of);
    let tasks = refusal.tasks.expect("the task set changed");
    assert_eq!(tasks.added[0].text.as_deref(), Some(wanted.as_str()));
}

#[test]
fn a_rewritten_task_is_told_as_changed() {
    let before = record(3);
    let mut after = record(3);
    after.items[1].prompt = "abcdef012345".into();
    after.condition.found.task_set_fingerprint = Stated::Set("other".into());
    after.condition.found.prompt_fingerprint = Stated::Set("other".into());
    quantize(&mut after, "q4_0", 4.5);
    let refusal = license(&before, &after, &[], true).unwrap_err();
    let tasks = refusal.tasks.expect("the task set changed");
    assert_eq!(tasks.changed.len(), 1);
    assert_eq!(tasks.changed[0].id, "t1");
}

#[test]
fn a_switch_slipped_into_the_system_prompt_is_named_as_the_system_prompt() {
    let before = record(4);
    let mut after = record(4);
    after.condition.asked.system_prompt = Stated::Set("/think".into());
    ask(&mut after, 4, "/think");
    let license = license(&before, &after, &[], true).expect("one field");
    assert_eq!(license.field(), Some(Field::SystemPrompt));
    assert_eq!(license.implied(), [Field::PromptFingerprint, Field::PromptIdsFingerprint]);
}

#[test]
fn a_switch_slipped_into_the_system_prompt_beside_a_quantization_is_refused() {
    let before = record(4);
    let mut after = record(4);
    quantize(&mut after, "q4_0", 4.5);
    after.condition.asked.system_prompt = Stated::Set("/think".into());
    ask(&mut after, 4, "/think");
    let refusal = license(&before, &after, &[], true).unwrap_err();
    assert_eq!(refusal.fields, [Field::Quantization, Field::SystemPrompt]);
}

#[test]
fn a_prompt_that_changed_without_a_recorded_cause_is_the_varied_field() {
    let before = record(4);
    let mut after = record(4);
    ask(&mut after, 4, "Today is 2 May. ");
    let license_alone = license(&before, &after, &[], true).expect("one field");
    assert_eq!(license_alone.field(), Some(Field::PromptFingerprint));
    quantize(&mut after, "q4_0", 4.5);
    let refusal = license(&before, &after, &[], true).unwrap_err();
    assert_eq!(refusal.fields, [Field::Quantization, Field::PromptFingerprint]);
    let texts = |prompt: &str| {
        ["", "Today is 2 May. "]
            .map(|mark| render("What is 0 + 0?", mark))
            .into_iter()
            .find(|text| fingerprint::short(&fingerprint::of_bytes(text.as_bytes())) == prompt)
    };
    let change = refusal.with_renders(&texts).render.expect("a prompt differs");
    assert_eq!(change.id, "t0");
    assert!(change.after.contains("Today is 2 May"), "{change:?}");
    assert!(!change.before.contains("Today"), "{change:?}");
}

#[test]
fn an_unknown_field_refuses_across_plans_until_it_is_assumed_by_name() {
    let mut before = record(4);
    let mut after = record(4);
    quantize(&mut after, "q4_0", 4.5);
    for record in [&mut before, &mut after] {
        record.condition.found.hardware = Stated::Unknown;
    }
    let refusal = license(&before, &after, &[], false).unwrap_err();
    assert_eq!(refusal.headline, "1 controlled field varies (quantization), and 1 is unknown (hardware)");
    assert!(refusal.remedies.last().is_some_and(|line| line.ends_with("--assume hardware")));
    let license = license(&before, &after, &[Field::Hardware], false).expect("assumed");
    assert_eq!(license.field(), Some(Field::Quantization));
    assert_eq!(license.assumed, [Field::Hardware]);
}

#[test]
fn an_unknown_field_of_one_side_refuses_also_within_a_plan() {
    let before = record(4);
    let mut after = record(4);
    after.condition.found.hardware = Stated::Unknown;
    let refusal = license(&before, &after, &[], true).unwrap_err();
    assert_eq!(refusal.fields, [Field::Hardware]);
}

#[test]
fn an_assumption_does_not_cover_a_difference_that_is_known() {
    let before = record(4);
    let mut after = record(4);
    quantize(&mut after, "q4_0", 4.5);
    after.condition.found.harness = Stated::Set(99);
    let refusal = license(&before, &after, &[Field::Harness], true).unwrap_err();
    assert_eq!(refusal.fields, [Field::Quantization, Field::Harness]);
}

#[test]
fn another_engine_version_and_another_quantization_are_two_causes() {
    let before = record(4);
    let mut after = record(4);
    quantize(&mut after, "q4_0", 4.5);
    after.condition.found.runtime =
        Stated::Set(Runtime { name: "scripted".into(), version: "2".into(), binary: None });
    let refusal = license(&before, &after, &[], true).unwrap_err();
    assert_eq!(refusal.fields, [Field::Quantization, Field::Runtime]);
}
