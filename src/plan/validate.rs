//! The plan's tree against the plan's schema: each violation in the words of the plan, at its place.

use super::document::{plan_schema, settings_keys};
use super::error::{PlanError, nearest, suggest};
use super::schema_walk::{expectation, known_keys, schema_at};
use super::source::{Part, Source, child, last_key};
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{Draft, ValidationError, Validator};
use serde_json::{Value, json};
use std::sync::OnceLock;

/// Characters from which a list of choices is left out when one of them is near.
const LONG: usize = 120;

/// What an explained violation is about.
struct Violation {
    pointer: String,
    part: Part,
    problem: String,
    remedy: String,
    /// Key that was probably meant.
    meant: Option<String>,
}

/// Reports every violation of the schema and mends the tree, so that the rest of the plan can still be checked.
pub(super) fn check_schema(source: &mut Source, errors: &mut Vec<PlanError>) {
    let Some((schema, validator)) = validator() else { return };
    let tree = source.tree.clone();
    let mut violations = Vec::new();
    for error in validator.iter_errors(&tree) {
        explain(&error, schema, &mut violations);
    }
    for violation in violations {
        let Violation { pointer, part, problem, remedy, meant } = violation;
        if part == Part::Value && source.is_doubtful(&pointer) {
            continue;
        }
        let mut error = source.error(&pointer, part, problem, remedy);
        if is_secret(&pointer) {
            error.hide_values();
        }
        errors.push(error);
        mend(source, &pointer);
        if let (Some(meant), Some((parent, _))) = (meant, pointer.rsplit_once('/')) {
            source.doubt(&child(parent, &meant));
        }
    }
    source.close_gaps();
}

fn validator() -> Option<&'static (Value, Validator)> {
    static VALIDATOR: OnceLock<Option<(Value, Validator)>> = OnceLock::new();
    VALIDATOR
        .get_or_init(|| {
            let schema = plan_schema();
            let validator = jsonschema::options().with_draft(Draft::Draft7).build(&schema).ok()?;
            Some((schema, validator))
        })
        .as_ref()
}

fn explain(error: &ValidationError<'_>, schema: &Value, out: &mut Vec<Violation>) {
    let pointer = error.instance_path().as_str().to_owned();
    if let Some(violation) = unknown_factor(&pointer, error.instance()) {
        out.push(violation);
        return;
    }
    match error.kind() {
        Kind::AdditionalProperties { unexpected } => {
            out.extend(unexpected.iter().map(|key| unknown_key(&pointer, key, schema)));
        }
        Kind::Required { property } => out.push(missing(&pointer, property, schema)),
        Kind::AnyOf { context } if error.instance().is_object() || error.instance().is_array() => {
            // The branch that failed inside the value, not at it, is the one that was meant.
            let inside = |branch: &&Vec<ValidationError<'static>>| {
                !branch
                    .iter()
                    .any(|e| matches!(e.kind(), Kind::Type { .. }) && e.instance_path().as_str() == pointer)
            };
            match context.iter().find(inside) {
                Some(branch) => branch.iter().for_each(|error| explain(error, schema, out)),
                None => out.push(unexpected(pointer, error, schema)),
            }
        }
        _ => out.push(unexpected(pointer, error, schema)),
    }
}

/// A key of `[grid]` that is no setting and whose levels are plain values.
fn unknown_factor(pointer: &str, instance: &Value) -> Option<Violation> {
    let mut parts = pointer.strip_prefix("/grid/")?.split('/');
    let (factor, index, rest) = (parts.next()?, parts.next(), parts.next());
    let known: Vec<&str> = settings_keys().iter().map(String::as_str).collect();
    if index.is_none()
        || rest.is_some()
        || instance.is_object()
        || known.contains(&factor)
        || factor == "exclude"
    {
        return None;
    }
    let remedy = match nearest(factor, known) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "plain values need a key of [settings]; under a name of your own each level is a table \
                 { name = \"...\", KEY = VALUE }"
            .to_owned(),
    };
    let meant = nearest(factor, settings_keys().iter().map(String::as_str)).map(str::to_owned);
    let problem = format!("unknown factor `{factor}`");
    Some(Violation { pointer: format!("/grid/{factor}"), part: Part::Key, problem, remedy, meant })
}

fn unknown_key(pointer: &str, key: &str, schema: &Value) -> Violation {
    let known = known_keys(schema, pointer);
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    Violation {
        pointer: child(pointer, key),
        part: Part::Key,
        problem: format!("unknown key `{key}` in {}", section(pointer)),
        remedy: suggest(key, &known, "keys"),
        meant: nearest(key, known.iter().copied()).map(str::to_owned),
    }
}

fn missing(pointer: &str, property: &Value, schema: &Value) -> Violation {
    let key = property.as_str().unwrap_or_default();
    let pointer_of_key = child(pointer, key);
    let described = schema_at(schema, &pointer_of_key)
        .and_then(|node| node.get("description").and_then(Value::as_str))
        .unwrap_or("it has no default")
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned();
    Violation {
        pointer: pointer_of_key,
        part: Part::Key,
        problem: format!("`{key}` is missing in {}", section(pointer)),
        remedy: format!("add `{key}`: {described}"),
        meant: None,
    }
}

fn unexpected(pointer: String, error: &ValidationError<'_>, schema: &Value) -> Violation {
    let shown = error.instance().to_string();
    let shown: String =
        if is_secret(&pointer) || shown.chars().count() > 60 { "this value".into() } else { shown };
    let expected = expectation(schema, &pointer).unwrap_or_else(|| error.to_string());
    let near = error.instance().as_str().and_then(|written| near_choice(schema, &pointer, written));
    let remedy = match near {
        Some(name) if expected.len() > LONG => format!("did you mean \"{name}\"?"),
        Some(name) => format!("did you mean \"{name}\"? Expected {expected}"),
        None => format!("expected {expected}"),
    };
    let problem = format!("{shown} does not fit `{}`", named(&pointer));
    Violation { pointer, part: Part::Value, problem, remedy, meant: None }
}

/// True where somebody may have pasted a key in place of its variable's name.
fn is_secret(pointer: &str) -> bool {
    named(pointer) == "api_key"
}

fn near_choice(schema: &Value, pointer: &str, written: &str) -> Option<String> {
    let choices = super::schema_walk::choices(schema_at(schema, pointer)?);
    nearest(written, choices.iter().map(String::as_str)).map(str::to_owned)
}

/// The key that a value belongs to: the nearest part of its pointer that is a name.
fn named(pointer: &str) -> String {
    let part = pointer.rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap_or("plan");
    last_key(part)
}

/// How the plan calls the table at a pointer.
fn section(pointer: &str) -> String {
    let parts: Vec<String> = pointer.split('/').skip(1).map(last_key).collect();
    let names: Vec<&str> =
        parts.iter().map(String::as_str).filter(|part| part.parse::<usize>().is_err()).collect();
    match names.as_slice() {
        [] => "the plan".into(),
        ["workload"] => "[[workload]]".into(),
        ["grid", "exclude"] => "[[grid.exclude]]".into(),
        ["grid", factor] => format!("a level of `{factor}`"),
        names => format!("[{}]", names.join(".")),
    }
}

/// Puts a harmless value where one is required, and takes others out.
fn mend(source: &mut Source, pointer: &str) {
    source.take_out(pointer);
    let Some((parent, key)) = pointer.rsplit_once('/') else { return };
    let filler = match key {
        "plan" => json!({ "name": "unnamed", "question": "?" }),
        "workload" => json!([]),
        "before" | "after" => json!({}),
        "name" | "question" => json!("unnamed"),
        _ => return,
    };
    if let Some(Value::Object(map)) = source.tree.pointer_mut(parent) {
        map.insert(key.to_owned(), filler);
    }
}
