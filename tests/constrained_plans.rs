//! Schemas and grammars in plans: what is refused, what the hash covers, and what a pair is called.

use crate::condition_cases::{after, complete, set};
use crate::plan_cases::{HEAD, QUALITY, TIMING};
use planrun::condition::{Field, Stated, varied};
use planrun::plan::Planned;
use planrun::run::prepare;
use std::fs;

const SCHEMA: &str = r#"{"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}"#;
const GRAMMAR: &str = "root ::= \"yes\" | \"no\"\n";

/// A plan on this engine, with these settings, with what follows them, and with files beside it.
fn with(engine: &str, settings: &str, rest: &str, files: &[(&str, &str)]) -> Result<Planned, String> {
    let head = HEAD
        .replace("\"scripted\"", &format!("\"{engine}\""))
        .replace("\"pico\"", "\"tiny\"")
        .replace("scorer", &format!("max_tokens = 8\n{settings}\nscorer"));
    let (folder, path) = crate::plan_cases::folder(&format!("{head}\n{rest}"));
    for (name, text) in [("s.json", SCHEMA), ("g.gbnf", GRAMMAR)].iter().chain(files) {
        fs::write(folder.path().join(name), text).unwrap();
    }
    prepare(&path, &[]).map_err(|errors| errors.to_string())
}

fn refused(engine: &str, settings: &str, files: &[(&str, &str)]) -> String {
    with(engine, settings, QUALITY, files).expect_err("refused")
}

#[test]
fn a_file_that_is_no_schema_is_told_with_its_place_and_a_remedy() {
    let elsewhere = r#"{"$ref": "https://example.com/other.json"}"#;
    let asked = "json_schema = \"x.json\"";
    for (text, told, remedy) in [
        (None, "there is no file", "relative to the plan"),
        (Some("{\"type\": "), "no JSON: EOF", "write a JSON schema"),
        (Some("[1]"), "it is no JSON object", "such as {\"type\": \"object\"}"),
        (Some(r#"{"properties": {"age": {"type": "whole"}}}"#), "at /properties/age/type", "mend it"),
        (Some(elsewhere), "https://example.com/other.json", "must stand in it"),
    ] {
        let files: Vec<(&str, &str)> = text.map(|text| ("x.json", text)).into_iter().collect();
        let errors = refused("llama_cpp", asked, &files);
        assert!(errors.contains("case.toml:12:15: `json_schema`: "), "{errors}");
        assert!(errors.contains(told) && errors.contains(remedy), "{errors}");
    }
    let errors = refused("llama_cpp", "grammar = \"x.gbnf\"", &[("x.gbnf", " \n")]);
    assert!(errors.contains("an empty grammar") && errors.contains("GBNF"), "{errors}");
}

#[test]
fn two_levels_with_the_same_bytes_are_refused() {
    let grid = format!("[grid]\njson_schema = [\"s.json\", \"copy.json\"]\n\n{QUALITY}");
    let errors = with("llama_cpp", "", &grid, &[("copy.json", SCHEMA)]).expect_err("refused");
    assert!(errors.contains("`copy.json` and `s.json` have the same content"), "{errors}");
    assert!(with("llama_cpp", "", &grid, &[("copy.json", "{}")]).is_ok());
}

#[test]
fn what_contradicts_a_schema_is_refused() {
    let both = refused("llama_cpp", "json_schema = \"s.json\"\ngrammar = \"g.gbnf\"", &[]);
    assert!(both.contains("`json_schema` and `grammar` both hold"), "{both}");
    let goes_on = refused("llama_cpp", "grammar = \"g.gbnf\"\nignore_eos = true", &[]);
    assert!(goes_on.contains("goes on after the end that `grammar` gives"), "{goes_on}");
    let thinks = refused("llama_cpp", "json_schema = \"s.json\"\nthinking = true", &[]);
    assert!(thinks.contains("from its first token on, so nothing can be thought"), "{thinks}");
}

#[test]
fn engines_that_cannot_hold_replies_are_named_with_setting_and_remedy() {
    for (engine, key) in [
        ("candle", "json_schema"),
        ("mlx_lm", "json_schema"),
        ("transformers", "json_schema"),
        ("scripted", "json_schema"),
        ("ollama", "grammar"),
        ("mlc_llm", "grammar"),
        ("mlx_lm", "grammar"),
    ] {
        let file = if key == "grammar" { "g.gbnf" } else { "s.json" };
        let errors = refused(engine, &format!("{key} = \"{file}\""), &[]);
        assert!(errors.contains(&format!("engine `{engine}` cannot honour `{key}`")), "{errors}");
        assert!(errors.contains(&format!("take `{key}` out, or use another engine")), "{errors}");
    }
    for (engine, settings) in [
        ("llama_cpp", "json_schema = \"s.json\""),
        ("llama_cpp", "grammar = \"g.gbnf\""),
        ("ollama", "json_schema = \"s.json\""),
        ("mlc_llm", "json_schema = \"s.json\""),
        ("openai", "grammar = \"g.gbnf\"\nurl = \"http://127.0.0.1:8000\""),
    ] {
        with(engine, settings, QUALITY, &[]).unwrap_or_else(|errors| panic!("{engine}: {errors}"));
    }
}

#[test]
fn held_against_free_is_a_factor_whose_one_cause_is_the_schema() {
    let grid = "[grid]\nshape = [{ name = \"free\" }, { name = \"held\", json_schema = \"s.json\" }]\n";
    let planned = with("llama_cpp", "", &format!("{grid}{QUALITY}"), &[]).unwrap();
    assert_eq!(planned.factors[0].field, Field::JsonSchema);
    assert_eq!(planned.workloads[0].edges.len(), 1);
    // A reply of fixed length has no end of its own.
    let timed = with("llama_cpp", "", &format!("{grid}{TIMING}"), &[]).unwrap();
    assert_eq!(timed.collapsed_factors(0), ["shape"]);
    assert!(timed.runs().all(|run| timed.settings_of(&run).json_schema == Stated::Unset));
}

#[test]
fn the_hash_of_a_plan_covers_what_its_files_say() {
    let hash = |settings: &str, files: &[(&str, &str)]| {
        with("llama_cpp", settings, QUALITY, files).unwrap().identity.hash
    };
    let schema = "json_schema = \"s.json\"";
    assert_eq!(hash(schema, &[]), hash(schema, &[]));
    assert_ne!(hash(schema, &[]), hash(schema, &[("s.json", "{\"type\": \"object\"}")]));
    let grammar = "grammar = \"g.gbnf\"";
    assert_ne!(hash(grammar, &[]), hash(grammar, &[("g.gbnf", "root ::= \"yes\"")]));
}

#[test]
fn another_content_of_the_same_file_is_the_varied_field() {
    let mut before = complete();
    before.asked.json_schema = set("s.json");
    before.found.json_schema = set("aaaa");
    let mut changed = before.clone();
    changed.found.json_schema = set("bbbb");
    assert_eq!(varied(&before, &changed).fields(), [Field::JsonSchema]);
    changed.found.json_schema = set("aaaa");
    changed.asked.json_schema = set("elsewhere/s.json");
    assert!(varied(&before, &changed).fields().is_empty(), "the same bytes in another place are the same");
    let held = after(|condition| condition.found.grammar = set("cccc"));
    assert_eq!(held.fields(), [Field::Grammar]);
}

#[test]
fn records_from_before_replies_were_held_to_anything_compare_as_free() {
    let older = after(|condition| {
        condition.asked.json_schema = Stated::Unknown;
        condition.asked.grammar = Stated::Unknown;
        condition.found.json_schema = Stated::Unknown;
        condition.found.grammar = Stated::Unknown;
        condition.found.speculation = Stated::Unknown;
    });
    assert!(older.causes.is_empty() && older.unknown.is_empty(), "{older:?}");
}
