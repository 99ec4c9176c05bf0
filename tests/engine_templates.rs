//! Chat templates render as `transformers` renders them. The right values were made with Jinja2 set up as its
//! `apply_chat_template` does.

use planrun::engine::ChatTemplate;
use planrun::generation::{Message, Role};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn compile(source: &str) -> ChatTemplate {
    let tokens = [("bos_token", "<s>"), ("eos_token", "</s>")];
    let tokens: BTreeMap<_, _> = tokens.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    ChatTemplate::compile(source, tokens).unwrap()
}

fn render(source: &str, context: &Value) -> String {
    compile(source).render(context).unwrap()
}

fn conversation() -> Value {
    json!({"messages": [
        {"role": "system", "content": " Be brief. "},
        {"role": "user", "content": "1 < 2 & 3?"},
    ], "add_generation_prompt": true})
}

#[test]
fn blocks_are_trimmed_and_nothing_is_escaped() {
    let source = "{% for m in messages %}\n    {% if m.role == 'user' %}\n{{ m.content }}\n    {% endif %}\n{% endfor %}";
    assert_eq!(render(source, &conversation()), "1 < 2 & 3?\n");
}

#[test]
fn python_methods_and_loop_controls_work() {
    let source = "{%- for m in messages %}{% if loop.index0 == 1 %}{% break %}{% endif %}\
                  {{ m.content.strip().upper() }}{{ m.content.split('.')[-1] | length }}{% endfor %}";
    assert_eq!(render(source, &conversation()), "BE BRIEF.1");
}

#[test]
fn special_tokens_are_variables() {
    assert_eq!(render("{{ bos_token + 'x' + eos_token }}", &json!({})), "<s>x</s>");
}

#[test]
fn json_is_written_as_python_writes_it() {
    let context = json!({"tool": {"name": "f", "about": "\"a\" <b> Zürich", "list": [1, 2]}});
    let right = r#"{"name": "f", "about": "\"a\" <b> Zürich", "list": [1, 2]}"#;
    assert_eq!(render("{{ tool | tojson }}", &context), right);
    assert_eq!(render("{{ {'a': 1} | tojson(indent=2) }}", &context), "{\n  \"a\": 1\n}");
}

#[test]
fn a_template_can_refuse_and_the_error_carries_its_words() {
    let template = compile("{{ raise_exception('roles must alternate') }}");
    assert!(template.render(&json!({})).unwrap_err().contains("roles must alternate"));
}

#[test]
fn a_broken_template_is_refused_with_its_line() {
    let error = ChatTemplate::compile("a\n{% if %}", BTreeMap::new()).unwrap_err();
    assert!(error.contains("line 2"), "{error}");
}

#[test]
fn a_template_that_never_ends_runs_out_of_fuel() {
    let source = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}";
    assert!(compile(source).render(&json!({})).is_err());
}

#[test]
fn generation_marks_have_no_effect() {
    let source = "{% for m in messages %}{% generation %}{{ m.role }}{% endgeneration %};{% endfor %}";
    assert_eq!(render(source, &conversation()), "system;user;");
}

#[test]
fn the_date_is_the_day_it_is_asked_for() {
    let day = time::macros::datetime!(2025-07-10 12:00 UTC);
    let template = compile("{{ strftime_now('%d %b %Y') }}").at(day);
    assert_eq!(template.render(&json!({})).unwrap(), "10 Jul 2025");
}

const SWITCH: &str = "{% if enable_thinking is defined and enable_thinking is false %}off\
                      {% elif enable_thinking is defined %}on{% else %}unset{% endif %}";

#[test]
fn the_thinking_switch_has_three_positions() {
    let template = compile(SWITCH);
    let message = [Message { role: Role::User, content: "Hello".to_owned() }];
    let rendered = |thinking| template.render_turn(&message, thinking).unwrap();
    assert_eq!([rendered(Some(false)), rendered(Some(true)), rendered(None)], ["off", "on", "unset"]);
    assert!(template.has_thinking_switch());
}

#[test]
fn a_switch_that_changes_nothing_is_no_switch() {
    assert!(!compile("{{ messages[0].content }}").has_thinking_switch());
    assert!(!compile("{% if enable_thinking %}{% endif %}x").has_thinking_switch());
}
