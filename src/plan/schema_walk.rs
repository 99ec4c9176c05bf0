//! Looks a place of a plan up in the plan's schema: which keys it knows, and what it expects.

use serde_json::{Map, Value};

/// The schema of the value at a pointer.
pub(super) fn schema_at<'a>(root: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer.split('/').skip(1).try_fold(resolved(root, root), |node, part| {
        let node = object_branch(root, node);
        let key = super::source::last_key(part);
        let property = node.get("properties").and_then(|properties| properties.get(&key));
        let next = property
            .or_else(|| node.get("items").filter(|_| key.parse::<usize>().is_ok()))
            .or_else(|| node.get("additionalProperties").filter(|schema| schema.is_object()))?;
        Some(resolved(root, next))
    })
}

/// The keys that the table at a pointer may have.
pub(super) fn known_keys(root: &Value, pointer: &str) -> Vec<String> {
    let node = schema_at(root, pointer).map(|node| object_branch(root, node));
    let properties = node.and_then(|node| node.get("properties")).and_then(Value::as_object);
    properties.map(|map| map.keys().cloned().collect()).unwrap_or_default()
}

/// What is expected at a pointer, in words.
pub(super) fn expectation(root: &Value, pointer: &str) -> Option<String> {
    words(root, schema_at(root, pointer)?)
}

/// The texts that a schema allows, where it lists them.
pub(super) fn choices(node: &Value) -> Vec<String> {
    let listed = node.get("enum").and_then(Value::as_array).into_iter().flatten();
    let constants = ["oneOf", "anyOf"].iter().filter_map(|key| node.get(*key)).filter_map(Value::as_array);
    let nested = constants.flatten().flat_map(choices);
    let single = node.get("const").into_iter();
    let own = listed.chain(single).filter_map(Value::as_str).map(str::to_owned);
    own.chain(nested).collect()
}

fn words(root: &Value, node: &Value) -> Option<String> {
    let choices = choices(node);
    if !choices.is_empty() {
        return Some(format!("one of {}", quoted(&choices)));
    }
    if let Some(branches) = node.get("anyOf").and_then(Value::as_array) {
        let each: Vec<String> =
            branches.iter().filter_map(|branch| words(root, resolved(root, branch))).collect();
        return Some(each.join(", or "));
    }
    let kind = kind_words(node.get("type")?)?;
    Some(format!("{kind}{}", limits(node.as_object()?)))
}

fn kind_words(kind: &Value) -> Option<String> {
    let one = |kind: &Value| {
        Some(match kind.as_str()? {
            "integer" => "a whole number",
            "number" => "a number",
            "boolean" => "true or false",
            "array" => "a list",
            "object" => "a table",
            _ => "a string",
        })
    };
    match kind {
        Value::Array(kinds) => Some(kinds.iter().filter_map(one).collect::<Vec<_>>().join(" or ")),
        kind => one(kind).map(str::to_owned),
    }
}

fn limits(node: &Map<String, Value>) -> String {
    let bound =
        |key: &str| node.get(key).map(|value| value.as_f64().map_or_else(|| value.to_string(), plain));
    let at_least = bound("minimum").or_else(|| bound("minLength")).or_else(|| bound("minItems"));
    let range = match (at_least, bound("maximum")) {
        (Some(low), Some(high)) => format!(" from {low} to {high}"),
        (Some(low), None) if node.contains_key("minItems") => format!(" of at least {low}"),
        (Some(low), None) if node.contains_key("minLength") => format!(" of at least {low} character"),
        (Some(low), None) => format!(" of at least {low}"),
        (None, Some(high)) => format!(" above 0 and at most {high}"),
        (None, None) => String::new(),
    };
    let pattern = node.get("pattern").and_then(Value::as_str);
    let described = node.get("description").and_then(Value::as_str).and_then(|text| text.split(". ").next());
    let form =
        pattern.map(|pattern| format!(" of the form {pattern} ({})", described.unwrap_or("see its docs")));
    format!("{range}{}", form.unwrap_or_default())
}

fn plain(number: f64) -> String {
    format!("{number}")
}

fn quoted(choices: &[String]) -> String {
    choices.iter().map(|choice| format!("\"{choice}\"")).collect::<Vec<_>>().join(", ")
}

/// Follows `$ref` and a single `allOf`.
fn resolved<'a>(root: &'a Value, node: &'a Value) -> &'a Value {
    let reference =
        node.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
    if let Some(target) = reference.and_then(|pointer| root.pointer(pointer)) {
        return resolved(root, target);
    }
    match node.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([only]) => resolved(root, only),
        _ => node,
    }
}

/// Where a value may be plain or a table, the table's schema.
fn object_branch<'a>(root: &'a Value, node: &'a Value) -> &'a Value {
    let branches = node.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    let mut tables = branches.map(|branch| resolved(root, branch));
    tables.find(|branch| branch.get("properties").is_some() || branch.get("items").is_some()).unwrap_or(node)
}
