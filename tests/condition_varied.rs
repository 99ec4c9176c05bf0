//! Which fields differ: one is a comparison, more are refused, and each is named.

use crate::condition_cases::{after, complete, set};
use planrun::condition::{CacheState, Field, Origin, Settings, Stated, states, varied, varied_settings};

#[test]
fn equal_conditions_vary_in_nothing() {
    let varied = varied(&complete(), &complete());
    assert_eq!((varied.fields(), varied.unknown.len()), (vec![], 0));
}

#[test]
fn one_varied_field_is_named() {
    let varied = after(|condition| condition.asked.max_tokens = 128.into());
    assert_eq!(varied.fields(), [Field::MaxTokens]);
    assert_eq!(varied.causes[0].difference.before.shown(), "64");
    assert_eq!(varied.causes[0].difference.after.shown(), "128");
}

#[test]
fn two_varied_fields_are_both_named() {
    let varied = after(|condition| {
        condition.asked.max_tokens = 128.into();
        condition.asked.temperature = 0.7.into();
    });
    assert_eq!(varied.fields(), [Field::MaxTokens, Field::Temperature]);
}

#[test]
fn every_controlled_field_of_a_condition_is_listed_once_and_in_order() {
    let fields: Vec<Field> = states(&complete()).into_iter().map(|(field, _)| field).collect();
    assert_eq!(fields, Field::ALL);
}

#[test]
fn what_was_read_outranks_what_was_asked() {
    let varied = after(|condition| {
        condition.asked.quantization = set("auto");
        condition.asked.threads = 4.into();
    });
    assert!(varied.fields().is_empty());
    let state = states(&complete()).into_iter().find(|(field, _)| *field == Field::Quantization).unwrap().1;
    assert_eq!((state.shown().as_str(), state.origin), ("q8_0", Origin::Read));
}

#[test]
fn a_cache_that_was_found_warm_differs_although_both_asked_for_cold() {
    let varied = after(|condition| condition.found.prefix_cache = CacheState::Warm.into());
    assert_eq!(varied.fields(), [Field::PrefixCache]);
}

#[test]
fn for_thinking_both_what_was_asked_and_what_was_rendered_count() {
    let asked = after(|condition| condition.asked.thinking = true.into());
    let rendered = after(|condition| condition.found.thinking = true.into());
    assert_eq!(asked.fields(), [Field::Thinking]);
    assert_eq!(rendered.fields(), [Field::Thinking]);
}

#[test]
fn thinking_left_unset_differs_from_thinking_off() {
    let before = Settings { thinking: false.into(), ..Settings::default() };
    let after = Settings { thinking: Stated::Unset, ..Settings::default() };
    assert_eq!(varied_settings(&before, &after).fields(), [Field::Thinking]);
}

#[test]
fn an_unknown_request_for_thinking_leaves_the_rendered_prompt_to_decide() {
    let varied = after(|condition| condition.asked.thinking = Stated::Unknown);
    assert_eq!((varied.fields(), varied.unknown.len()), (vec![], 0));
}

#[test]
fn a_value_unknown_on_one_side_is_reported_and_is_no_cause() {
    let varied = after(|condition| condition.found.hardware = Stated::Unknown);
    assert!(varied.fields().is_empty());
    assert_eq!(varied.unknown.len(), 1);
    assert_eq!(varied.unknown[0].field, Field::Hardware);
    assert!(!varied.unknown[0].unknown_on_both_sides());
}

#[test]
fn a_value_unknown_on_both_sides_is_reported_too() {
    let mut unknown = complete();
    unknown.found.hardware = Stated::Unknown;
    let varied = varied(&unknown, &unknown.clone());
    assert!(varied.unknown[0].unknown_on_both_sides());
}

#[test]
fn names_of_workload_and_task_file_are_only_told() {
    let varied = after(|condition| {
        condition.workload.name = "other".into();
        condition.workload.tasks = Some("tasks/copy.jsonl".into());
    });
    assert!(varied.fields().is_empty());
}

#[test]
fn the_planner_sees_no_field_that_can_only_be_read() {
    let before = Settings { quantization: set("f32"), ..Settings::default() };
    let after = Settings { quantization: set("q4_0"), ..Settings::default() };
    let varied = varied_settings(&before, &after);
    assert_eq!(varied.fields(), [Field::Quantization]);
    assert!(varied.unknown.iter().all(|gap| gap.field != Field::Weights));
}

#[test]
fn another_draft_model_behind_the_same_name_is_the_varied_field() {
    let mut one = complete();
    one.asked.speculation = set("draft:small.gguf");
    one.found.speculation = set("draft:aaaa");
    let mut other = one.clone();
    other.found.speculation = set("draft:bbbb");
    assert_eq!(varied(&one, &other).fields(), [Field::Speculation]);
    assert!(varied(&one, &one).fields().is_empty());
}
