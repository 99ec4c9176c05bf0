//! Factors as declared: what each level sets, and whether the factor varies one thing.

use super::document::{NAME_KEY, Plan, SettingsTable, field_of_key, settings_keys};
use super::error::{PlanError, suggest};
use super::source::{Part, Source, child};
use crate::condition::{Field, Settings, varied_settings};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Largest number of levels of one factor.
const MAX_LEVELS: usize = 10_000;

/// Largest number of levels of a factor whose levels set different keys: each two of them are held against each other.
const MAX_NAMED_LEVELS: usize = 200;

/// A level of a factor.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Level {
    /// The level in words.
    pub(super) word: String,
    /// The settings that it states.
    pub(super) sets: Map<String, Value>,
    /// Where it stands.
    pub(super) pointer: String,
    /// True for a plain value, false for a named table.
    plain: bool,
}

/// A factor with its levels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DraftFactor {
    /// Key in `[grid]`.
    pub(super) name: String,
    /// At least one.
    pub(super) levels: Vec<Level>,
    /// The field in which each two levels differ.
    pub(super) fields: PairFields,
}

/// The field in which two levels of a factor differ.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PairFields {
    /// The same for each two levels: all of them set one and the same key.
    Uniform(Option<Field>),
    /// By the levels' indices (`low < high`).
    ByPair(BTreeMap<(u16, u16), Field>),
}

impl PairFields {
    /// The field in which levels `low < high` differ; `None` where it is not one field.
    pub(super) fn of(&self, low: u16, high: u16) -> Option<Field> {
        match self {
            Self::Uniform(field) => *field,
            Self::ByPair(fields) => fields.get(&(low, high)).copied(),
        }
    }
}

impl DraftFactor {
    /// The keys that any of its levels states.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.levels.iter().flat_map(|level| level.sets.keys().map(String::as_str))
    }

    /// The level that a plan names by its word or its plain value.
    pub(super) fn level_of(&self, value: &Value) -> Option<u16> {
        let word = word_of(value);
        self.levels.iter().position(|level| level.word == word).map(|index| index as u16)
    }

    /// Words of all levels.
    pub(super) fn words(&self) -> Vec<&str> {
        self.levels.iter().map(|level| level.word.as_str()).collect()
    }
}

/// Settings and factors before any cell is made.
#[derive(Debug)]
pub(super) struct Draft {
    /// Every key of [`Settings`]; what is not stated is null.
    pub(super) base: Map<String, Value>,
    /// In the plan's order.
    pub(super) factors: Vec<DraftFactor>,
    /// Every workload scores the answers to a task file.
    pub(super) only_scored: bool,
}

/// Works out what every level sets and checks that each factor varies one thing.
pub(super) fn draft(plan: &Plan, source: &mut Source, errors: &mut Vec<PlanError>) -> Draft {
    let base = base(plan, source, errors);
    let mut factors = Vec::new();
    for (name, levels) in &plan.grid.factors {
        if let Some(factor) = factor(name, levels, plan, source, errors) {
            factors.push(factor);
        }
    }
    check_overlaps(plan, &factors, source, errors);
    for factor in &mut factors {
        find_fields(&base, factor, source, errors);
    }
    let only_scored = plan.workload.iter().all(|table| table.quality && table.tasks.is_some());
    Draft { base, factors, only_scored }
}

/// What a plain value is called.
pub(super) fn word_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn base(plan: &Plan, source: &mut Source, errors: &mut Vec<PlanError>) -> Map<String, Value> {
    let mut base: Map<String, Value> = settings_keys().iter().map(|key| (key.clone(), Value::Null)).collect();
    base.extend(stated(&plan.settings.0, "/settings", plan, source, errors));
    base
}

/// Stated settings with the deployment's name replaced by the bundle and its members.
fn stated(
    written: &Map<String, Value>,
    pointer: &str,
    plan: &Plan,
    source: &mut Source,
    errors: &mut Vec<PlanError>,
) -> Map<String, Value> {
    let mut sets = Map::new();
    for (key, value) in written {
        match (key.as_str(), value.as_str()) {
            (NAME_KEY, _) => {}
            ("deployment", Some(name)) => {
                sets.extend(bundle(name, &child(pointer, key), plan, source, errors));
            }
            _ => {
                sets.insert(key.clone(), value.clone());
            }
        }
    }
    sets
}

fn bundle(
    name: &str,
    pointer: &str,
    plan: &Plan,
    source: &mut Source,
    errors: &mut Vec<PlanError>,
) -> Map<String, Value> {
    let Some(SettingsTable(members)) = plan.deployments.get(name) else {
        let known: Vec<&str> = plan.deployments.keys().map(String::as_str).collect();
        let remedy = format!("declare it as [deployments.{name}]; {}", suggest(name, &known, "deployments"));
        errors.push(source.error(pointer, Part::Value, format!("unknown deployment `{name}`"), remedy));
        source.doubt(pointer);
        return Map::new();
    };
    let mut sets = members.clone();
    let mut fields: Vec<Field> = members.keys().filter_map(|key| field_of_key(key)).collect();
    fields.dedup();
    sets.insert("deployment".into(), json!({ "name": name, "members": fields }));
    sets
}

fn factor(
    name: &str,
    levels: &Value,
    plan: &Plan,
    source: &mut Source,
    errors: &mut Vec<PlanError>,
) -> Option<DraftFactor> {
    let pointer = child("/grid", name);
    let written = levels.as_array()?;
    if written.len() > MAX_LEVELS {
        let problem = format!("`{name}` has {} levels", written.len());
        errors.push(source.error(
            &pointer,
            Part::Key,
            problem,
            format!("at most {MAX_LEVELS} can be planned"),
        ));
        return None;
    }
    let mut kept: Vec<Level> = Vec::new();
    for (index, value) in written.iter().enumerate().filter(|(_, value)| !value.is_null()) {
        let level = level(name, value, &child(&pointer, &index.to_string()), plan, source, errors);
        match kept.iter().find(|other| other.word == level.word || other.sets == level.sets) {
            Some(other) => {
                let problem =
                    format!("level `{}` of `{name}` stands twice (as `{}`)", level.word, other.word);
                errors.push(source.error(&level.pointer, Part::Value, problem, "remove one of them"));
                source.doubt(&level.pointer);
            }
            None => kept.push(level),
        }
    }
    if kept.len() == 1 && written.len() == 1 {
        let problem = format!("factor `{name}` has one level, so it compares nothing");
        let remedy = format!("add a level, or move `{name}` to [settings]");
        errors.push(source.error(&pointer, Part::Key, problem, remedy));
    }
    (!kept.is_empty()).then(|| DraftFactor {
        name: name.to_owned(),
        levels: kept,
        fields: PairFields::Uniform(None),
    })
}

fn level(
    factor: &str,
    value: &Value,
    pointer: &str,
    plan: &Plan,
    source: &mut Source,
    errors: &mut Vec<PlanError>,
) -> Level {
    let (word, written) = match value {
        Value::Object(table) => (table.get(NAME_KEY).map(word_of).unwrap_or_default(), table.clone()),
        single => (word_of(single), Map::from_iter([(factor.to_owned(), single.clone())])),
    };
    let sets = stated(&written, pointer, plan, source, errors);
    Level { word, sets, pointer: pointer.to_owned(), plain: !value.is_object() }
}

/// Two factors must not set the same key, nor a factor and `[settings]` what the factor's own name says.
fn check_overlaps(plan: &Plan, factors: &[DraftFactor], source: &Source, errors: &mut Vec<PlanError>) {
    for (index, factor) in factors.iter().enumerate() {
        let pointer = child("/grid", &factor.name);
        if plan.settings.0.contains_key(&factor.name) {
            let problem = format!("`{}` is a factor of [grid] and also set in [settings]", factor.name);
            errors.push(source.error(&pointer, Part::Key, problem, "remove it from [settings]"));
        }
        for earlier in &factors[..index] {
            if let Some(key) = factor.keys().find(|key| earlier.keys().any(|other| other == *key)) {
                let problem = format!("factors `{}` and `{}` both set `{key}`", earlier.name, factor.name);
                let remedy = "a setting belongs to one factor: make it one factor with named levels";
                errors.push(source.error(&pointer, Part::Key, problem, remedy));
            }
        }
    }
}

/// Asks the guard's own rule in which field each two levels differ.
fn find_fields(
    base: &Map<String, Value>,
    factor: &mut DraftFactor,
    source: &mut Source,
    errors: &mut Vec<PlanError>,
) {
    let one_key = factor.levels.iter().all(|level| level.sets.len() == 1)
        && factor.keys().all(|key| factor.keys().next() == Some(key));
    let compared = if one_key { factor.levels.len().min(2) } else { factor.levels.len() };
    if compared > MAX_NAMED_LEVELS {
        let problem = format!("`{}` has {compared} named levels", factor.name);
        let remedy = format!("at most {MAX_NAMED_LEVELS} can be planned");
        errors.push(source.error(&child("/grid", &factor.name), Part::Key, problem, remedy));
        return;
    }
    let levels: Vec<Option<Settings>> =
        factor.levels[..compared].iter().map(|level| settings_with(base, level)).collect();
    let mut found = BTreeMap::new();
    let mut refused = Vec::new();
    for high in 1..levels.len() {
        for low in 0..high {
            let (Some(before), Some(after)) = (&levels[low], &levels[high]) else { continue };
            match varied_settings(before, after).fields().as_slice() {
                [field] => {
                    found.insert((low as u16, high as u16), *field);
                }
                fields => refused.push((low, high, fields.to_vec())),
            }
        }
    }
    if let Some((low, high, fields)) = refused.into_iter().next() {
        errors.push(mixed_levels(factor, low, high, &fields, source));
        source.doubt(&factor.levels[high].pointer);
    }
    factor.fields =
        if one_key { PairFields::Uniform(found.into_values().next()) } else { PairFields::ByPair(found) };
}

fn mixed_levels(
    factor: &DraftFactor,
    low: usize,
    high: usize,
    fields: &[Field],
    source: &Source,
) -> PlanError {
    let (before, after) = (&factor.levels[low], &factor.levels[high]);
    let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
    let (problem, remedy) = if fields.is_empty() {
        (
            format!("levels `{}` and `{}` of `{}` set the same", before.word, after.word, factor.name),
            "remove one of them".to_owned(),
        )
    } else {
        (
            format!(
                "levels `{}` and `{}` of `{}` differ in {} controlled fields ({})",
                before.word,
                after.word,
                factor.name,
                names.len(),
                names.join(", "),
            ),
            "give each field a factor of its own, or declare bundles as [deployments.NAME] and list them under \
             `deployment`"
                .to_owned(),
        )
    };
    source.error(&after.pointer, Part::Value, problem, remedy)
}

fn settings_with(base: &Map<String, Value>, level: &Level) -> Option<Settings> {
    let mut map = base.clone();
    map.extend(level.sets.clone());
    serde_json::from_value(Value::Object(map)).ok()
}

impl Draft {
    /// Every value that is stated for a key, with its place.
    pub(super) fn places<'a>(&'a self, key: &'a str) -> impl Iterator<Item = (String, &'a Value)> {
        let base = self.base.get(key).filter(|value| !value.is_null());
        let levels = self.factors.iter().flat_map(|factor| &factor.levels);
        let stated = levels.filter_map(move |level| Some((level.place_of(key), level.sets.get(key)?)));
        base.map(|value| (child("/settings", key), value)).into_iter().chain(stated)
    }

    /// Every value that is stated for a key.
    pub(super) fn stated<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Value> {
        self.places(key).map(|(_, value)| value)
    }

    /// True if every cell has a value for this key.
    pub(super) fn always_states(&self, key: &str) -> bool {
        let all = |factor: &DraftFactor| factor.levels.iter().all(|level| level.sets.contains_key(key));
        self.base.get(key).is_some_and(|value| !value.is_null()) || self.factors.iter().any(all)
    }

    /// Where the cell of these levels gets its value for a key from; `[settings]` where nothing states it.
    pub(super) fn pointer_of(&self, key: &str, levels: &[u16]) -> String {
        let chosen =
            self.factors.iter().zip(levels).map(|(factor, &level)| &factor.levels[usize::from(level)]);
        let stating = chosen.into_iter().find(|level| level.sets.contains_key(key));
        stating.map_or_else(|| child("/settings", key), |level| level.place_of(key))
    }
}

impl Level {
    /// The place of a key's value: inside a named table, or the plain level itself.
    fn place_of(&self, key: &str) -> String {
        if self.plain { self.pointer.clone() } else { child(&self.pointer, key) }
    }
}
