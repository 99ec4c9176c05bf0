//! Thinking, per family: templates of each shape, what their switch is, how it is set, what a prompt says.

use planrun::engine::{ChatTemplate, ThinkingSwitch, flag_in, said_by};
use planrun::generation::{Message, Role};
use std::collections::BTreeMap;

/// Qwen3's shape: three positions, and an empty block where reasoning is off.
const QWEN: &str = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>\
    {% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\n\n</think>\n\n' }}{% endif %}";
/// The shape of Granite and `DeepSeek` V3.1: another name, off where it is left out.
const GRANITE: &str =
    "{% if thinking %}Think first. {% endif %}{% for m in messages %}{{ m.content }}{% endfor %}";
/// `SmolLM3`'s shape: flags in the system prompt override the argument and are taken out.
const SMOL: &str = "{% set mode = '/think' if enable_thinking is not defined or enable_thinking else '/no_think' %}\
    {% if messages[0].role == 'system' %}{% if '/no_think' in messages[0].content %}{% set mode = '/no_think' %}\
    {% elif '/think' in messages[0].content %}{% set mode = '/think' %}{% endif %}\
    {{ messages[0].content.replace('/no_think', '').replace('/think', '').rstrip() }}{% endif %}\
    Reasoning Mode: {{ mode }}\n{{ messages[-1].content }}{% if mode == '/no_think' %}<think>\n\n</think>{% endif %}";
/// The shape of Nemotron Nano v2: flags in the messages, and no argument.
const NANO: &str = "{% set n = namespace(on=true) %}{% for m in messages %}{% if '/think' in m.content %}\
    {% set n.on = true %}{% elif '/no_think' in m.content %}{% set n.on = false %}{% endif %}\
    {{ m.content.replace('/think', '').replace('/no_think', '').strip() }}|{% endfor %}\
    {{ '<think>\n' if n.on else '<think></think>' }}";
/// The shape of Llama Nemotron: the model knows a sentence, and its template states it.
const LLAMA_NEMOTRON: &str = "{% if messages[0].role != 'system' %}detailed thinking on|{% endif %}\
    {% for m in messages %}{{ m.content }}|{% endfor %}";
/// The shape of gpt-oss: grades, and no way to switch reasoning off.
const GPT_OSS: &str = "Reasoning: {{ reasoning_effort if reasoning_effort is defined else 'medium' }}\
    {% for m in messages %}|{{ m.content }}{% endfor %}";
const PLAIN: &str =
    "{% for m in messages %}{{ m.content }}{% endfor %}{# enable_thinking /think /no_think #}";

fn compile(source: &str) -> ChatTemplate {
    ChatTemplate::compile(source, BTreeMap::new()).unwrap()
}

fn message(role: Role, content: &str) -> Message {
    Message { role, content: content.to_owned() }
}

fn question() -> Vec<Message> {
    vec![message(Role::User, "Why?")]
}

fn with_system(system: &str) -> Vec<Message> {
    vec![message(Role::System, system), message(Role::User, "Why?")]
}

fn rendered(source: &str, messages: &[Message], thinking: Option<bool>) -> String {
    compile(source).render_turn(messages, thinking).unwrap()
}

#[test]
fn the_kind_of_switch_is_found_in_the_template_itself() {
    let kinds = [
        (QWEN, ThinkingSwitch::Argument("enable_thinking")),
        (GRANITE, ThinkingSwitch::Argument("thinking")),
        (SMOL, ThinkingSwitch::ArgumentUnderFlags("enable_thinking")),
        (NANO, ThinkingSwitch::Flags),
        (LLAMA_NEMOTRON, ThinkingSwitch::Sentence),
        (GPT_OSS, ThinkingSwitch::Effort),
        (PLAIN, ThinkingSwitch::None),
        ("{% if enable_thinking %}{% endif %}x", ThinkingSwitch::None),
    ];
    for (source, kind) in kinds {
        assert_eq!(compile(source).thinking_switch(), kind, "{source}");
    }
}

#[test]
fn a_template_that_renders_no_probe_is_taken_at_its_word() {
    let strict = "{{ raise_exception('no') }}{% if enable_thinking %}{% endif %}";
    assert_eq!(compile(strict).thinking_switch(), ThinkingSwitch::Argument("enable_thinking"));
}

#[test]
fn the_switch_is_set_as_each_family_understands_it() {
    let both = |source: &str| [true, false].map(|on| rendered(source, &question(), Some(on)));
    assert_eq!(both(QWEN), ["<user>Why?<assistant>", "<user>Why?<assistant><think>\n\n</think>\n\n"]);
    assert_eq!(both(GRANITE), ["Think first. Why?", "Why?"]);
    assert_eq!(
        both(SMOL),
        ["Reasoning Mode: /think\nWhy?", "Reasoning Mode: /no_think\nWhy?<think>\n\n</think>"]
    );
    assert_eq!(both(NANO), ["|Why?|<think>\n", "|Why?|<think></think>"]);
    assert_eq!(both(LLAMA_NEMOTRON), ["detailed thinking on|Why?|", "detailed thinking off|Why?|"]);
}

#[test]
fn a_system_prompt_stays_beside_the_switch() {
    let off = |source: &str| rendered(source, &with_system("Be brief."), Some(false));
    assert_eq!(off(NANO), "Be brief.|Why?|<think></think>");
    assert_eq!(off(LLAMA_NEMOTRON), "detailed thinking off\n\nBe brief.|Why?|");
}

#[test]
fn unset_leaves_everything_to_the_template() {
    for source in [QWEN, GRANITE, SMOL, NANO, LLAMA_NEMOTRON, GPT_OSS, PLAIN] {
        let context = serde_json::json!({"messages": question(), "add_generation_prompt": true});
        assert_eq!(rendered(source, &question(), None), compile(source).render(&context).unwrap());
    }
}

#[test]
fn grades_of_effort_reach_the_template() {
    let template = compile(GPT_OSS);
    assert!(template.knows_grades() && !compile(QWEN).knows_grades());
    assert_eq!(template.with_effort("high").render_turn(&question(), None).unwrap(), "Reasoning: high|Why?");
}

#[test]
fn a_rendered_prompt_tells_what_it_asks_for() {
    let says = |source: &str, thinking| said_by(&rendered(source, &question(), thinking));
    assert_eq!((says(QWEN, Some(true)), says(QWEN, Some(false))), (None, Some(false)));
    assert_eq!((says(SMOL, Some(true)), says(SMOL, Some(false))), (Some(true), Some(false)));
    assert_eq!((says(NANO, Some(true)), says(NANO, Some(false))), (Some(true), Some(false)));
    assert_eq!((says(LLAMA_NEMOTRON, None), says(LLAMA_NEMOTRON, Some(false))), (Some(true), Some(false)));
    for (end, right) in [
        ("<|assistant|></think>", Some(false)),
        ("a <think>\n", Some(true)),
        ("[THINK]", Some(true)),
        ("<seed:think>", Some(true)),
        ("<|START_THINKING|>", Some(true)),
        ("<|START_THINKING|><|END_THINKING|>", Some(false)),
        ("I think > that", None),
        ("", None),
    ] {
        assert_eq!(said_by(end), right, "{end}");
    }
}

#[test]
fn a_flag_slipped_into_a_system_prompt_overrides_the_switch_and_shows() {
    let hidden = rendered(SMOL, &with_system("Be brief. /no_think"), Some(true));
    assert_eq!(said_by(&hidden), Some(false));
    assert!(!hidden.contains("brief. /no_think"), "the template hides it");
    let flag = flag_in(&with_system("Be brief. /no_think")).unwrap();
    assert_eq!((flag.thinking, flag.word, flag.role), (false, "/no_think", Role::System));
}

#[test]
fn only_free_standing_flags_of_the_system_prompt_and_the_last_question_count() {
    assert_eq!(flag_in(&with_system("see /think/tank and a/think")), None);
    let talk =
        [message(Role::User, "/no_think a"), message(Role::Assistant, "/think"), message(Role::User, "b")];
    assert_eq!(flag_in(&talk), None);
    let mut last = with_system("/no_think");
    last[1].content = "Why? /think".to_owned();
    assert_eq!(flag_in(&last).map(|flag| (flag.thinking, flag.role)), Some((true, Role::User)));
}
