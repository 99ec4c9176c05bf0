//! Templates come from strangers: whatever they try ends in an error that says why and in which line.

use planrun::engine::ChatTemplate;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn error_of(source: &str, context: &Value) -> String {
    match ChatTemplate::compile(source, BTreeMap::new()) {
        Ok(template) => template.render(context).expect_err(source),
        Err(error) => error,
    }
}

fn error(source: &str) -> String {
    error_of(source, &json!({"messages": [{"role": "user", "content": "hello"}]}))
}

#[test]
fn loops_run_out_of_steps() {
    let source =
        "\n{% for a in range(9999) %}{% for b in range(9999) %}{% set c = a %}{% endfor %}{% endfor %}";
    let error = error(source);
    assert!(error.contains("steps") && error.contains("(line 2 of the template)"), "{error}");
}

#[test]
fn text_that_doubles_sixty_times_is_stopped_before_it_fills_the_memory() {
    let doubled = "{% set n = namespace(x='x') %}{% for i in range(60) %}{% set n.x = n.x + n.x %}{% endfor %}{{ n.x }}";
    let tilde = doubled.replace("n.x + n.x", "n.x ~ n.x");
    let listed = doubled.replace("n.x + n.x", "[n.x, n.x]|join");
    for source in [
        doubled,
        &tilde,
        &listed,
        "{{ 'x' * 9999999999 }}",
        "{{ ('x' * 999999)|replace('x', 'y' * 999999) }}",
    ] {
        let error = error(source);
        assert!(error.contains("too much text") || error.contains("too large"), "{source}: {error}");
    }
}

#[test]
fn wide_paddings_and_indents_are_refused() {
    for source in [
        "{{ 'a'|center(99999999999) }}",
        "{{ 'a\nb'|indent(99999999999) }}",
        "{{ '%99999999999d'|format(1) }}",
        "{{ '{:>99999999999}'.format(1) }}",
        "{{ ('a' * 9999).replace('', 'b' * 999999) }}",
        "{{ ('b' * 999999).join(range(99999)) }}",
        "{{ [[[1]]]|tojson(indent=99999999999) }}",
        "{{ range(99999999999)|list }}",
    ] {
        assert!(!error(source).is_empty(), "{source}");
    }
}

#[test]
fn a_prompt_that_is_too_long_is_refused() {
    let error = error("{% for i in range(1000) %}{{ 'x' * 9999 }}{% endfor %}");
    assert!(error.contains("longer than 8 MiB"), "{error}");
}

#[test]
fn recursion_ends() {
    for source in [
        "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}",
        "{% macro f() %}{{ g() }}{% endmacro %}{% macro g() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{% for m in messages recursive %}{{ loop(messages) }}{% endfor %}",
    ] {
        assert!(error(source).contains("recursion"), "{source}: {}", error(source));
    }
}

#[test]
fn nesting_without_end_harms_nobody() {
    let open = "{% set n = namespace(x=[]) %}{% for i in range(30000) %}{% set n.x = [n.x] %}{% endfor %}";
    let deep = |end: &str| error(&format!("{open}{end}"));
    assert!(deep("{{ n.x|tojson }}").contains("levels"), "{}", deep("{{ n.x|tojson }}"));
    for end in [
        "{{ n.x }}",
        "{{ n.x == [n.x] }}",
        "{{ n.x|string }}",
        "{{ [n.x, n.x]|unique|list }}",
        "{{ {}[n.x] }}",
    ] {
        let template = ChatTemplate::compile(&format!("{open}{end}"), BTreeMap::new()).unwrap();
        assert!(
            template.render(&json!({})).map_or_else(|error| error.len(), |text| text.len()) < 1 << 20,
            "{end}"
        );
    }
    let parentheses = format!("{{{{ {}1{} }}}}", "(".repeat(5000), ")".repeat(5000));
    assert!(!error(&parentheses).is_empty());
    let blocks = format!("{}x{}", "{% if 1 %}".repeat(5000), "{% endif %}".repeat(5000));
    assert!(!error(&blocks).is_empty());
}

#[test]
fn no_other_file_is_read() {
    for tag in [
        "{% include '/etc/passwd' %}",
        "{%- include ['a', 'b'] ignore missing -%}",
        "{% extends 'base' %}",
        "{% import 'chat_template' as own %}",
        "{%+ from 'chat_template' import f %}",
    ] {
        let error = error(&format!("line 1\n{tag}"));
        assert!(error.contains("would read another file (line 2 of the template)"), "{tag}: {error}");
    }
}

#[test]
fn an_error_names_its_line_and_carries_the_templates_words() {
    assert!(
        error("a\nb\n{{ raise_exception('no system role') }}")
            .contains("no system role (line 3 of the template)")
    );
    assert!(error("a\n{{ messages.absent.deeper }}").contains("(line 2 of the template)"));
    assert!(error("a\n{% if %}").contains("(line 2 of the template)"));
    assert!(error("{{ ''.__class__.__mro__ }}").contains("line 1"));
}

#[test]
fn sources_cut_anywhere_are_refused_or_rendered() {
    let whole = "{# c #}{%- macro f(x) -%}{{ x|tojson(indent=2) }}{%- endmacro %}\
                 {% for m in messages %}{{ f(m) ~ \"a}}b\" }}{% generation %}é{% endgeneration %}{% endfor %}{% raw %}{{{% endraw %}";
    for (cut, _) in whole.char_indices() {
        if let Ok(template) = ChatTemplate::compile(&whole[..cut], BTreeMap::new()) {
            assert!(template.render(&json!({"messages": []})).is_ok_and(|text| text.len() < 10), "{cut}");
        }
    }
}
