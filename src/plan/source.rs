//! The plan's text: TOML becomes a JSON tree that remembers where each value stands.

use super::error::{Place, PlanError};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// Text, tree and places of a plan.
#[derive(Debug)]
pub(super) struct Source {
    text: String,
    /// The plan as JSON, overrides applied.
    pub(super) tree: Value,
    /// Byte ranges by JSON pointer: of the key, where there is one, and of the value.
    spans: HashMap<String, Spans>,
    /// Pointers set on the command line, with the text of the override.
    overrides: Vec<(String, String)>,
    /// Pointers whose value was unusable and has been taken out; nothing further is said about them.
    doubtful: BTreeSet<String>,
    /// False where the syntax was broken, so that the tree may lack anything.
    pub(super) complete: bool,
}

#[derive(Debug, Clone)]
struct Spans {
    key: Option<Range<usize>>,
    value: Range<usize>,
}

/// Which part of an entry to point at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Key,
    Value,
}

impl Source {
    /// Parses TOML. Everything wrong with the syntax is returned at once; then the tree holds what could be read.
    pub(super) fn parse(text: &str, errors: &mut Vec<PlanError>) -> Self {
        let mut source = Self {
            text: text.to_owned(),
            tree: Value::Null,
            spans: HashMap::new(),
            overrides: Vec::new(),
            doubtful: BTreeSet::new(),
            complete: true,
        };
        let (document, syntax) = DeTable::parse_recoverable(text);
        source.complete = syntax.is_empty();
        for error in &syntax {
            let range = error.span().unwrap_or(0..0);
            let problem = error.message().lines().next().unwrap_or("not TOML").to_owned();
            let remedy =
                "the file must be TOML (https://toml.io); the rest is checked once this is mended".into();
            errors.push(PlanError { place: source.place_of(&range), problem, remedy });
        }
        source.tree = source.table(document.get_ref(), "", errors);
        source
    }

    fn table(&mut self, table: &DeTable<'_>, pointer: &str, errors: &mut Vec<PlanError>) -> Value {
        let mut map = Map::new();
        for (key, value) in table {
            let path = child(pointer, key.get_ref());
            self.spans.insert(path.clone(), Spans { key: Some(key.span()), value: value.span() });
            if let Some(value) = self.value(value.get_ref(), &path, errors) {
                map.insert(key.get_ref().to_string(), value);
            }
        }
        Value::Object(map)
    }

    fn value(&mut self, value: &DeValue<'_>, pointer: &str, errors: &mut Vec<PlanError>) -> Option<Value> {
        let unusable = match value {
            DeValue::String(text) => return Some(Value::String(text.to_string())),
            DeValue::Boolean(flag) => return Some(Value::Bool(*flag)),
            DeValue::Table(table) => return Some(self.table(table, pointer, errors)),
            DeValue::Array(list) => {
                let mut items = Vec::with_capacity(list.len());
                for (index, item) in list.iter().enumerate() {
                    let path = child(pointer, &index.to_string());
                    self.spans.insert(path.clone(), Spans { key: None, value: item.span() });
                    items.push(self.value(item.get_ref(), &path, errors).unwrap_or_default());
                }
                return Some(Value::Array(items));
            }
            DeValue::Integer(number) => match integer(number.as_str(), number.radix()) {
                Some(value) => return Some(value),
                None => "an integer beyond 64 bits",
            },
            DeValue::Float(number) => match float(number.as_str()) {
                Some(value) => return Some(value),
                None => "a number that is not finite",
            },
            DeValue::Datetime(_) => "a date or time",
        };
        let problem =
            format!("{unusable} cannot stand in a plan: records and reports are JSON, which has none");
        errors.push(self.error(
            pointer,
            Part::Value,
            problem,
            "write a finite number, a string, true or false",
        ));
        self.doubtful.insert(pointer.to_owned());
        None
    }

    /// Applies `KEY=VALUE`; the value is read as TOML, and as a string where that fails.
    pub(super) fn set(&mut self, text: &str, errors: &mut Vec<PlanError>) {
        let broken = |problem: &str, remedy: &str| PlanError {
            place: Place::Override(text.to_owned()),
            problem: problem.to_owned(),
            remedy: remedy.to_owned(),
        };
        let Some((key, written)) = text.split_once('=') else {
            errors.push(broken("no `=`", "write --set settings.KEY=VALUE"));
            return;
        };
        let keys: Vec<&str> = key.trim().split('.').collect();
        if keys.len() < 2 || keys.iter().any(|key| key.is_empty()) {
            errors.push(broken("the key needs its section", "write --set settings.KEY=VALUE"));
            return;
        }
        let Some(value) = override_value(written.trim()) else {
            errors.push(broken(
                "this value cannot stand in a plan",
                "write a finite number, a string, true or false",
            ));
            return;
        };
        let pointer = keys.iter().fold(String::new(), |pointer, key| child(&pointer, key));
        self.overrides.push((pointer, text.to_owned()));
        if !insert(&mut self.tree, &keys, value) {
            errors
                .push(broken("there is no table of this name to set a key in", "name a section of the plan"));
        }
    }

    /// Takes out a value about which an error has been said, so that the rest can still be checked.
    pub(super) fn take_out(&mut self, pointer: &str) {
        self.doubtful.insert(pointer.to_owned());
        let Some((parent, key)) = pointer.rsplit_once('/') else { return };
        match self.tree.pointer_mut(parent) {
            Some(Value::Object(map)) => {
                map.shift_remove(&unescape(key));
            }
            Some(Value::Array(list)) => {
                if let Some(slot) = key.parse::<usize>().ok().and_then(|index| list.get_mut(index)) {
                    *slot = Value::Null;
                }
            }
            _ => {}
        }
    }

    /// Closes the gaps that taken-out values left in lists. Levels of factors keep theirs: they are told by position.
    pub(super) fn close_gaps(&mut self) {
        let sections = self.tree.as_object_mut().into_iter().flatten();
        for (section, value) in sections {
            match value {
                Value::Object(grid) if section == "grid" => {
                    grid.get_mut("exclude").into_iter().for_each(close_gaps);
                }
                other => close_gaps(other),
            }
        }
    }

    /// Notes that something was meant to stand here, so that its absence is not told a second time.
    pub(super) fn doubt(&mut self, pointer: &str) {
        self.doubtful.insert(pointer.to_owned());
    }

    /// True if an error about the value at this pointer, or about one inside it, has been said already.
    pub(super) fn is_doubtful(&self, pointer: &str) -> bool {
        let inside =
            |doubtful: &str| doubtful.strip_prefix(pointer).is_some_and(|rest| rest.starts_with('/'));
        self.doubtful.iter().any(|doubtful| doubtful == pointer || inside(doubtful))
    }

    /// True if an error about a value of this key has been said already.
    pub(super) fn doubts(&self, key: &str) -> bool {
        self.doubtful.iter().any(|pointer| pointer.split('/').any(|part| part == key))
    }

    /// An error at a pointer.
    pub(super) fn error(
        &self,
        pointer: &str,
        part: Part,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> PlanError {
        PlanError { place: self.place(pointer, part), problem: problem.into(), remedy: remedy.into() }
    }

    fn place(&self, pointer: &str, part: Part) -> Place {
        let set = |(path, _): &&(String, String)| {
            pointer == path || pointer.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        if let Some((_, text)) = self.overrides.iter().rev().find(set) {
            return Place::Override(text.clone());
        }
        let mut at = pointer;
        loop {
            if let Some(spans) = self.spans.get(at) {
                let key = spans.key.as_ref().filter(|_| part == Part::Key || at != pointer);
                return self.place_of(key.unwrap_or(&spans.value));
            }
            match at.rsplit_once('/') {
                Some((parent, _)) if !parent.is_empty() => at = parent,
                _ => return Place::Whole,
            }
        }
    }

    fn place_of(&self, range: &Range<usize>) -> Place {
        let start = floor_boundary(&self.text, range.start);
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let text = self.text[line_start..].lines().next().unwrap_or_default();
        let column = self.text[line_start..start].chars().count() + 1;
        let end = floor_boundary(&self.text, range.end.max(start)).min(line_start + text.len()).max(start);
        let width = self.text[start..end].chars().count().max(1);
        Place::Text { line: before.matches('\n').count() + 1, column, width, text: text.to_owned() }
    }
}

/// The pointer of an entry of a table or list.
pub(super) fn child(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The last part of a pointer, unescaped.
pub(super) fn last_key(pointer: &str) -> String {
    unescape(pointer.rsplit('/').next().unwrap_or_default())
}

fn unescape(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}

fn close_gaps(value: &mut Value) {
    match value {
        Value::Array(list) => {
            list.retain(|item| !item.is_null());
            list.iter_mut().for_each(close_gaps);
        }
        Value::Object(map) => map.values_mut().for_each(close_gaps),
        _ => {}
    }
}

fn integer(text: &str, radix: u32) -> Option<Value> {
    let signed = i64::from_str_radix(text, radix).map(Value::from);
    signed.or_else(|_| u64::from_str_radix(text, radix).map(Value::from)).ok()
}

/// A whole float becomes an integer: `64.0` and `64` are the same number in JSON schema, in hashes and in reports.
fn float(text: &str) -> Option<Value> {
    let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
    if number.fract() == 0.0 && number.abs() < 9e15 {
        return Some(Value::from(number as i64));
    }
    serde_json::Number::from_f64(number).map(Value::Number)
}

fn override_value(written: &str) -> Option<Value> {
    let mut errors = Vec::new();
    let text = format!("value = {written}");
    let (document, syntax) = DeTable::parse_recoverable(&text);
    if !syntax.is_empty() || document.get_ref().len() != 1 {
        return Some(Value::String(written.to_owned()));
    }
    let mut scratch = Source::parse("", &mut errors);
    let tree = scratch.table(document.get_ref(), "", &mut errors);
    tree.get("value").cloned().filter(|_| errors.is_empty())
}

fn insert(tree: &mut Value, keys: &[&str], value: Value) -> bool {
    let Some((first, rest)) = keys.split_first() else { return false };
    let Some(map) = tree.as_object_mut() else { return false };
    if rest.is_empty() {
        map.insert((*first).to_owned(), value);
        return true;
    }
    insert(map.entry(*first).or_insert_with(|| Value::Object(Map::new())), rest, value)
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
