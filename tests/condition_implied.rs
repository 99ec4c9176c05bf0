//! One cause may carry its consequences, and only these.

use crate::condition_cases::{after, carried, complete, set};
use planrun::abilities::EngineKind;
use planrun::condition::{Condition, Deployment, Field, Observed, Runtime, Stated, varied};

fn prompts(condition: &mut Condition) {
    condition.found.prompt_fingerprint = set("other text");
    condition.found.prompt_ids_fingerprint = set("other ids");
}

fn lighter_weights(condition: &mut Condition) {
    condition.asked.quantization = set("q4_0");
    condition.found.quantization = set("q4_0");
    condition.found.weights = set("bbbb");
    condition.found.bits_per_weight = 4.5.into();
    condition.found.file_format = set("gguf");
}

fn runtime(version: &str, binary: Option<&str>) -> Stated<Runtime> {
    let binary = binary.map(str::to_owned);
    Stated::Set(Runtime { name: "server".into(), version: version.into(), binary })
}

#[test]
fn a_model_with_all_it_implies_is_one_cause() {
    let varied = after(|condition| {
        condition.asked.model = set("other");
        condition.found.source = set("other 1");
        condition.found.weights = set("bbbb");
        condition.found.bits_per_weight = 8.6.into();
        condition.found.file_format = set("gguf");
        condition.found.tokenizer = set("uuuu");
        condition.found.chat_template = set("dddd");
        condition.found.special_tokens = set("<s> </s>");
        prompts(condition);
    });
    assert_eq!(varied.fields(), [Field::Model]);
    assert_eq!(carried(&varied).len(), 9);
}

#[test]
fn a_new_revision_under_the_same_name_is_one_cause() {
    let varied = after(|condition| {
        condition.found.source = set("pico 2");
        condition.found.weights = set("bbbb");
    });
    assert_eq!((varied.fields(), carried(&varied)), (vec![Field::Source], vec![Field::Weights]));
}

#[test]
fn a_quantization_of_the_same_source_carries_weights_bits_and_format() {
    let varied = after(lighter_weights);
    assert_eq!(varied.fields(), [Field::Quantization]);
    assert_eq!(carried(&varied), [Field::Weights, Field::BitsPerWeight, Field::FileFormat]);
}

#[test]
fn a_quantization_of_another_source_is_refused() {
    let varied = after(|condition| {
        lighter_weights(condition);
        condition.found.source = set("somebody else's upload");
    });
    assert_eq!(varied.fields(), [Field::Source, Field::Quantization]);
}

#[test]
fn a_quantization_of_unknown_source_does_not_explain_other_weights() {
    let mut before = complete();
    before.found.source = Stated::Unknown;
    let mut after = before.clone();
    lighter_weights(&mut after);
    let varied = varied(&before, &after);
    assert!(varied.fields().contains(&Field::Weights));
    assert_eq!(varied.unknown[0].field, Field::Source);
}

#[test]
fn other_weights_under_the_same_source_and_scheme_are_named() {
    let varied = after(|condition| condition.found.weights = set("retrained"));
    assert_eq!(varied.fields(), [Field::Weights]);
}

#[test]
fn thinking_carries_the_rendered_prompt() {
    let varied = after(|condition| {
        condition.asked.thinking = true.into();
        condition.found.thinking = true.into();
        prompts(condition);
    });
    assert_eq!(varied.fields(), [Field::Thinking]);
    assert_eq!(carried(&varied), [Field::PromptFingerprint, Field::PromptIdsFingerprint]);
}

#[test]
fn a_switch_word_slipped_into_the_system_prompt_names_the_system_prompt() {
    let varied = after(|condition| {
        condition.asked.system_prompt = set("Be brief. /think");
        prompts(condition);
    });
    assert_eq!(varied.fields(), [Field::SystemPrompt]);
}

#[test]
fn a_rendered_prompt_that_differs_without_a_cause_is_named_itself() {
    let varied = after(prompts);
    assert_eq!(varied.fields(), [Field::PromptFingerprint]);
    assert_eq!(carried(&varied), [Field::PromptIdsFingerprint]);
}

#[test]
fn token_ids_that_differ_under_the_same_text_are_named() {
    let varied = after(|condition| condition.found.prompt_ids_fingerprint = set("doubled BOS"));
    assert_eq!(varied.fields(), [Field::PromptIdsFingerprint]);
}

#[test]
fn a_grown_task_set_format_and_thinking_are_three_causes() {
    let varied = after(|condition| {
        lighter_weights(condition);
        condition.asked.thinking = true.into();
        condition.found.task_set_fingerprint = set("two tasks more");
        prompts(condition);
    });
    assert_eq!(varied.fields(), [Field::Quantization, Field::Thinking, Field::TaskSetFingerprint]);
}

#[test]
fn the_binary_of_an_engine_outside_settles_unknown_build_flags() {
    let with = |binary: Option<&str>| {
        let mut condition = complete();
        condition.found.runtime = runtime("1", binary);
        condition.found.build_flags = Stated::Unknown;
        condition.asked.build_flags = Stated::Unknown;
        varied(&condition, &condition.clone()).unknown.iter().map(|gap| gap.field).collect::<Vec<_>>()
    };
    assert_eq!(with(Some("hash")), []);
    assert_eq!(with(None), [Field::BuildFlags], "one version can be built with many flags");
}

#[test]
fn a_rebuilt_planrun_with_the_same_harness_version_is_a_repetition() {
    let json = serde_json::to_string(&complete()).unwrap();
    assert!(!json.contains("binary"), "the in-process engine has no binary hash to differ in");
    assert!(varied(&complete(), &serde_json::from_str(&json).unwrap()).fields().is_empty());
}

#[test]
fn a_new_harness_carries_the_runtime_inside_but_no_program_outside() {
    let inside = after(|condition| {
        condition.found.harness = 2.into();
        condition.found.runtime = runtime("2", None);
    });
    assert_eq!(inside.fields(), [Field::Harness]);
    let (mut before, mut after) = (complete(), complete());
    before.asked.engine = EngineKind::LlamaCpp.into();
    after.asked.engine = EngineKind::LlamaCpp.into();
    after.found.harness = 2.into();
    after.found.runtime = runtime("2", Some("hash"));
    assert_eq!(varied(&before, &after).fields(), [Field::Runtime, Field::Harness]);
}

#[test]
fn a_deployment_carries_its_members_and_what_they_imply_and_nothing_else() {
    let bundle = |condition: &mut Condition| {
        lighter_weights(condition);
        condition.asked.max_tokens = 256.into();
        let members = vec![Field::Quantization, Field::MaxTokens];
        condition.asked.deployment = Deployment { name: "small".into(), members }.into();
    };
    assert_eq!(after(bundle).fields(), [Field::Deployment]);
    let more = after(|condition| {
        bundle(condition);
        condition.asked.seed = 2.into();
    });
    assert_eq!(more.fields(), [Field::Deployment, Field::Seed]);
}

#[test]
fn a_model_that_other_code_in_this_program_computes_is_one_cause() {
    let inside = |name: &str, version: &str| {
        Stated::Set(Runtime { name: name.into(), version: version.into(), binary: None })
    };
    let model = |before: &mut Condition, after: &mut Condition, version: &str| {
        before.found.runtime = inside("candle", "0.11.1");
        before.found.prefill_chunk = 512.into();
        after.found.runtime = inside("candle-transformers", version);
        after.found.prefill_chunk = Stated::Unset;
    };
    let (mut before, mut after) = (complete(), complete());
    model(&mut before, &mut after, "0.11.1");
    assert_eq!(
        varied(&before, &after).fields(),
        [Field::Runtime, Field::PrefillChunk],
        "one model, two codes"
    );
    after.asked.model = set("other");
    after.found.source = set("other 1");
    let licensed = varied(&before, &after);
    assert_eq!(licensed.fields(), [Field::Model]);
    assert_eq!(carried(&licensed), [Field::Source, Field::Runtime, Field::PrefillChunk]);
    let chosen =
        Condition { found: Observed { prefill_chunk: 64.into(), ..after.found.clone() }, ..after.clone() };
    assert_eq!(varied(&before, &chosen).fields(), [Field::Model, Field::PrefillChunk], "two chosen chunks");
    let found = Observed { build_flags: set("opt-level=0"), ..after.found.clone() };
    let debug = Condition { found, ..after.clone() };
    assert_eq!(
        varied(&before, &debug).fields(),
        [Field::Model, Field::BuildFlags],
        "one program, two builds"
    );
    model(&mut before, &mut after, "0.12.0");
    assert!(varied(&before, &after).fields().contains(&Field::Runtime), "two versions are two causes");
}
