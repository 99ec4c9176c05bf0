//! Chat templates render as `transformers` renders them. The right values were made with Jinja2 set up as its
//! `apply_chat_template` does.

use planrun::engine::ChatTemplate;
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
fn generation_marks_have_no_effect() {
    let source = "{% for m in messages %}{% generation %}{{ m.role }}{% endgeneration %};{% endfor %}";
    assert_eq!(render(source, &conversation()), "system;user;");
}

#[test]
fn the_date_stands_still_and_is_known_only_where_the_template_asks_for_it() {
    let day = time::macros::date!(2025 - 07 - 10);
    let template = compile("{{ strftime_now('%d %b %Y, %-H h') }}").on(day);
    assert_eq!(template.render(&json!({})).unwrap(), "10 Jul 2025, 12 h");
    assert_eq!(template.day_in_prompts().as_deref(), Some("2025-07-10"));
    let quiet = compile("{% if false %}{{ strftime_now('%Y') }}{% endif %}x");
    assert_eq!(quiet.day_in_prompts(), None);
}

#[test]
fn text_joined_to_markup_is_escaped_and_other_text_is_not() {
    let context = json!({"t": {"name": "a<b>", "about": "\"q\" & 'r'"}});
    let joined = "{{ \"'\"|safe + t.name + \"' <i>\"|safe + t.about }}|{{ t.name }}";
    assert_eq!(render(joined, &context), "'a&lt;b&gt;' <i>&#34;q&#34; &amp; &#39;r&#39;|a<b>");
    let printed = "{{ t.name|safe }}{{ '<' ~ (t.name|safe) ~ t.about }}";
    assert_eq!(render(printed, &context), "a<b><a<b>\"q\" & 'r'");
}

#[test]
fn text_that_cannot_be_told_from_markup_is_refused_where_it_would_matter() {
    let context = json!({"messages": [{"content": "a\u{FDD0}b"}]});
    assert_eq!(render("{{ messages[0].content }}", &context), "a\u{FDD0}b");
    let error = compile("{{ 'x'|safe + messages[0].content }}").render(&context).unwrap_err();
    assert!(error.contains("U+FDD0"), "{error}");
}

#[test]
fn lazy_filters_give_no_lists() {
    let context = json!({"calls": [{"name": "f"}, {"name": "g"}]});
    let names = "{{ calls|map(attribute='name')";
    assert_eq!(render(&format!("{names}|list|tojson }}}}"), &context), r#"["f", "g"]"#);
    assert_eq!(render(&format!("{names}|join('+') }}}}"), &context), "f+g");
    let error = compile(&format!("x\n{names}|tojson }}}}")).render(&context).unwrap_err();
    assert!(error.contains("a generator is not written as JSON (line 2 of the template)"), "{error}");
    let nested = "{{ {'n': calls|selectattr('name', 'equalto', 'f')} | tojson }}";
    assert!(compile(nested).render(&context).is_err());
    assert!(compile("{{ calls|select|length }}").render(&context).is_err());
    let spent = "{% set some = calls|reject %}{% if some %}yes{% endif %}{{ some|list|length }}{{ some|list|length }}";
    assert_eq!(render(spent, &context), "yes00");
    let once = "{% set all = calls|select %}{{ all|list|length }}{{ all|list|length }}";
    assert_eq!(render(once, &context), "20");
}

#[test]
fn what_python_cannot_write_as_json_is_refused() {
    for source in ["{{ nothing|tojson }}", "{{ [nothing]|tojson }}", "{{ {'f': range}|tojson }}"] {
        assert!(compile(source).render(&json!({})).unwrap_err().contains("not written as JSON"), "{source}");
    }
}

#[test]
fn json_takes_the_arguments_of_python() {
    let context = json!({"x": {"b": "ü😀", "a": [1.0, 1e20, 1e-7]}});
    let right = r#"{"b": "\u00fc\ud83d\ude00", "a": [1.0, 1e+20, 1e-07]}"#;
    assert_eq!(render("{{ x|tojson(ensure_ascii=true) }}", &context), right);
    let compact = "{{ x|tojson(separators=(',', ':'), sort_keys=true) }}";
    assert_eq!(render(compact, &context), r#"{"a":[1.0,1e+20,1e-07],"b":"ü😀"}"#);
}

/// By hand, with the renders of Jinja2 that `tests/benches/jinja_renders.py` writes: `PLANRUN_RENDERS=renders.json cargo test
/// --release --test planrun -- --ignored --nocapture jinja_renders`.
#[test]
#[ignore = "needs the file of templates and their renders that PLANRUN_RENDERS names"]
fn jinja_renders_every_template_alike_or_both_refuse() {
    let path = std::env::var("PLANRUN_RENDERS").expect("PLANRUN_RENDERS is not set");
    let all: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (mut renders, mut refused, mut different) = (0, 0, Vec::new());
    for (family, of_family) in all["families"].as_object().unwrap() {
        let template = ChatTemplate::compile(of_family["template"].as_str().unwrap(), BTreeMap::new())
            .map(|template| template.on(time::macros::date!(2025 - 07 - 10)));
        for (name, theirs) in of_family["renders"].as_object().unwrap() {
            let ours =
                template.as_ref().ok().and_then(|template| template.render(&all["contexts"][name]).ok());
            renders += 1;
            refused += usize::from(ours.is_none() && theirs["ok"] == false);
            if ours.as_deref() != theirs["out"].as_str() {
                different.push(format!("{family}: {name}"));
            }
        }
    }
    println!(
        "{} of {renders} renders equal or refused by both ({refused} refused); different: {different:?}",
        renders - different.len()
    );
    assert!(renders > 0 && different.is_empty(), "{different:?}");
}
