//! Stated settings against the abilities of engines and models.

use super::Surroundings;
use super::families::beyond_the_family;
use super::forgotten::check_forgotten;
use super::{constraints, files, hub, outside, scoring};
use crate::abilities::{
    Abilities, EngineKind, ModelFacts, Recommended, abilities, abilities_with, block_size,
};
use crate::condition::{Settings, parse_day};
use crate::hub_cache::HubName;
use crate::plan::Cell;
use crate::plan::document::Plan;
use crate::plan::error::{PlanError, suggest};
use crate::plan::grid::Grid;
use crate::plan::levels::Draft;
use crate::plan::source::{Part, Source};
use std::collections::{BTreeMap, HashSet};

/// Checks what the cells ask for, as far as it can be known without opening a model.
pub(in crate::plan) fn check_stated(
    plan: &Plan,
    draft: &Draft,
    grid: Option<&Grid>,
    around: &Surroundings,
    source: &Source,
    errors: &mut Vec<PlanError>,
    notes: &mut Vec<String>,
) {
    check_forgotten(plan, draft, source, errors);
    scoring::check_used(plan, draft, source, errors);
    let Some(grid) = grid else { return };
    let scores = plan.workload.iter().any(|table| table.quality);
    let unknown = ModelFacts::default();
    let mut models: BTreeMap<&str, Used> = BTreeMap::new();
    let mut told = HashSet::new();
    let url_in_doubt = source.doubts("url");
    for cell in &grid.cells {
        let engine = cell.settings.engine.get().copied();
        let name = cell.settings.named_files().map_or("", String::as_str);
        let facts = around.model(name).unwrap_or(&unknown);
        let model = models.entry(name).or_insert(Used { facts, opened: false, framed: false });
        model.opened |= !name.is_empty() && engine != Some(EngineKind::Scripted);
        model.framed |= !cell.settings.without_chat_template();
        let of_scoring = scores.then(|| scoring::complaints(&cell.settings, engine)).into_iter().flatten();
        for complaint in complaints(cell, engine, name, facts, url_in_doubt).into_iter().chain(of_scoring) {
            // A place is complained of once, however many cells share it.
            let pointer = draft.pointer_of(complaint.key, &cell.levels);
            if !source.is_doubtful(&pointer) && told.insert((pointer.clone(), complaint.problem.clone())) {
                errors.push(source.error(&pointer, Part::Value, complaint.problem, complaint.remedy));
            }
        }
    }
    notes.extend(other_sampling(grid, &models));
    let thinking_is_stated = draft.always_states("thinking");
    for (name, model) in models.iter().filter(|(_, model)| model.opened) {
        notes.extend(hub::note(name, model.facts));
        notes.extend(could_not_be_told(name, model, thinking_is_stated));
    }
    files::check(draft, around, source, errors);
}

/// A model, and what the plan's cells do with it.
struct Used<'a> {
    facts: &'a ModelFacts,
    /// It is opened: a stand-in opens none.
    opened: bool,
    /// Its chat template is used.
    framed: bool,
}

fn could_not_be_told(name: &str, model: &Used, thinking_is_stated: bool) -> Option<String> {
    let unknown_switch = model.facts.thinking_switch.is_none() && model.framed && !thinking_is_stated;
    match &model.facts.problem {
        Some(problem) => Some(format!("model `{name}` could not be looked at: {problem}")),
        None if unknown_switch => {
            Some(format!("model `{name}`: whether it has a thinking switch could not be checked"))
        }
        None => None,
    }
}

/// What is wrong with a setting of a cell.
#[derive(Debug, PartialEq)]
pub(super) struct Complaint {
    pub(super) key: &'static str,
    pub(super) problem: String,
    pub(super) remedy: String,
}

fn complaints(
    cell: &Cell,
    engine: Option<EngineKind>,
    name: &str,
    model: &ModelFacts,
    url_in_doubt: bool,
) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    if let Some(engine) = engine {
        let able = abilities_with(engine, cell.settings.program.get().map(String::as_str));
        complaints.extend(quantization(cell, &able, name, model));
        complaints.extend(cache(cell, &able));
        complaints.extend(unsupported(cell, engine, &able));
        complaints.extend(constraints::complaints(&cell.settings, &able));
        complaints.extend(outside::complaints(&cell.settings, engine, &able, url_in_doubt));
        if engine == EngineKind::Candle {
            complaints.extend(beyond_the_family(&cell.settings, name, model));
        }
    }
    complaints.extend(hub_name(&cell.settings, name));
    complaints.extend(thinking(cell, name, model));
    complaints.extend(day(cell));
    complaints
}

fn quantization(cell: &Cell, able: &Abilities, name: &str, model: &ModelFacts) -> Option<Complaint> {
    let scheme = cell.settings.quantization.get()?;
    let key = "quantization";
    if able.quantizations.is_empty() {
        return as_stored(scheme, able, name, model);
    }
    if !able.quantizations.contains(&scheme.as_str()) {
        let problem = format!("engine `{}` has no quantization `{scheme}`", able.name);
        return Some(Complaint {
            key,
            problem,
            remedy: suggest(scheme, able.quantizations, "quantizations"),
        });
    }
    let fits = |scheme: &str| model.row_lengths.iter().all(|length| length % block_size(scheme) == 0);
    if fits(scheme) {
        return None;
    }
    let block = block_size(scheme);
    let odd = model.row_lengths.iter().find(|length| *length % block != 0)?;
    let fitting: Vec<&str> = able.quantizations.iter().copied().filter(|scheme| fits(scheme)).collect();
    let problem = format!("`{scheme}` takes blocks of {block} weights, but `{name}` has rows of {odd}");
    Some(Complaint { key, problem, remedy: format!("these fit: {}", fitting.join(", ")) })
}

/// An engine that takes weights as they are stored can be asked for no other scheme; where nothing is known of the files, the
/// plan's word stands.
fn as_stored(scheme: &str, able: &Abilities, name: &str, model: &ModelFacts) -> Option<Complaint> {
    let stored = model.scheme.as_ref().filter(|stored| *stored != scheme)?;
    Some(Complaint {
        key: "quantization",
        problem: format!(
            "engine `{}` takes weights as they are stored, and `{name}` holds {stored}",
            able.name
        ),
        remedy: format!("set it to \"{stored}\", leave it out, or name a file in `{scheme}`"),
    })
}

fn cache(cell: &Cell, able: &Abilities) -> Option<Complaint> {
    let dtype = cell.settings.kv_cache_dtype.get()?;
    if able.kv_cache_dtypes.contains(&dtype.as_str()) {
        return None;
    }
    let problem = format!("engine `{}` has no key/value cache in `{dtype}`", able.name);
    let remedy = match able.kv_cache_dtypes {
        [] => "it chooses the format itself: take `kv_cache_dtype` out".to_owned(),
        known => format!("it has: {}", known.join(", ")),
    };
    Some(Complaint { key: "kv_cache_dtype", problem, remedy })
}

/// Settings that this engine has no use for: asking for them would look like a condition and be none.
fn unsupported(cell: &Cell, engine: EngineKind, able: &Abilities) -> Vec<Complaint> {
    let settings = &cell.settings;
    let above_one = |value: Option<&u32>| value.is_some_and(|&value| value > able.concurrency);
    let stated = [
        ("threads", settings.threads.get().is_some()),
        ("context_length", settings.context_length.get().is_some()),
        ("prefill_chunk", settings.prefill_chunk.get().is_some()),
        ("placement", settings.placement.get().is_some()),
        ("thinking_effort", settings.thinking_effort.get().is_some()),
        ("thinking_budget", settings.thinking_budget.get().is_some()),
        ("speculation", settings.speculation.get().is_some()),
        ("json_schema", settings.json_schema.get().is_some()),
        ("grammar", settings.grammar.get().is_some()),
        ("prefix_cache", settings.prefix_cache.get() == Some(&crate::condition::CacheState::Warm)),
    ];
    let mut complaints = Vec::new();
    for (key, stated) in stated {
        if stated && !able.optional.contains(&key) {
            let problem = format!("engine `{}` cannot honour `{key}`", able.name);
            let remedy = format!("take `{key}` out, or use another {}", who_can(key, engine));
            complaints.push(Complaint { key, problem, remedy });
        }
    }
    let loads = [
        ("batch_size", above_one(settings.batch_size.get())),
        ("concurrency", above_one(settings.concurrency.get())),
    ];
    for (key, _) in loads.into_iter().filter(|(_, above)| *above) {
        let problem = format!("engine `{}` answers at most {} at once", able.name, able.concurrency);
        complaints.push(Complaint { key, problem, remedy: format!("lower `{key}`") });
    }
    complaints
}

/// Where the engine's usual program could, it is the plan's own that cannot.
fn who_can(key: &str, engine: EngineKind) -> String {
    let usual = abilities(engine);
    let program = usual.program.filter(|_| usual.optional.contains(&key));
    program.map_or_else(|| "engine".to_owned(), |program| format!("program (`{program}`)"))
}

fn thinking(cell: &Cell, name: &str, model: &ModelFacts) -> Option<Complaint> {
    let key = "thinking";
    if cell.settings.without_chat_template() {
        let problem = "`thinking` acts through the chat template, and `chat_template` is \"none\"".to_owned();
        let remedy = "take `thinking` out".to_owned();
        return cell.settings.thinking.get().map(|_| Complaint { key, problem, remedy });
    }
    match (model.thinking_switch, cell.settings.thinking.get()) {
        (Some(true), None) => Some(Complaint {
            key,
            problem: format!("`{name}` has a thinking switch, but `thinking` is not set"),
            remedy: "set `thinking = true` or `thinking = false` in [settings], or make it a factor".into(),
        }),
        (Some(false), Some(true)) => Some(Complaint {
            key,
            problem: format!("`{name}` has no thinking switch in its chat template"),
            remedy: "take `thinking` out".into(),
        }),
        _ => None,
    }
}

fn hub_name(settings: &Settings, name: &str) -> Option<Complaint> {
    let problem = hub::wrong_name(name)?;
    let key = if settings.model_is_at_server() { "model_files" } else { "model" };
    Some(Complaint { key, problem, remedy: HubName::REMEDY.to_owned() })
}

/// One note for each model whose makers recommend another sampling than a cell asks for.
fn other_sampling(grid: &Grid, models: &BTreeMap<&str, Used>) -> Vec<String> {
    let departures = |name: &str, model: &ModelFacts| {
        let recommended = model.recommended.as_ref()?;
        let cells = grid.cells.iter().filter(|cell| cell.settings.model.get().is_some_and(|own| own == name));
        let mut each = cells.map(|cell| departures_from(recommended, &cell.settings));
        each.find(|departures| !departures.is_empty())
    };
    let told = models.iter().filter_map(|(name, model)| Some((name, departures(name, model.facts)?)));
    told.map(|(name, departures)| {
        format!("the makers of `{name}` recommend {} in generation_config.json", departures.join(", "))
    })
    .collect()
}

/// The keys in which settings differ from what is recommended, with both values.
fn departures_from(recommended: &Recommended, settings: &Settings) -> Vec<String> {
    let keys = [
        ("temperature", recommended.temperature, settings.temperature.get().copied()),
        ("top_k", recommended.top_k.map(f64::from), settings.top_k.get().copied().map(f64::from)),
        ("top_p", recommended.top_p, settings.top_p.get().copied()),
    ];
    let differing = keys.into_iter().filter(|(_, wanted, asked)| wanted.is_some() && wanted != asked);
    let in_words = |(key, wanted, asked): (&str, Option<f64>, Option<f64>)| {
        let asked = asked.map_or("unset".to_owned(), |asked| asked.to_string());
        format!("{key} {} (the plan: {asked})", wanted.unwrap_or_default())
    };
    differing.map(in_words).collect()
}

/// A date that the calendar does not have; its form is checked by the schema.
fn day(cell: &Cell) -> Option<Complaint> {
    let written = cell.settings.template_date.get().filter(|written| parse_day(written).is_none())?;
    let problem = format!("`{written}` is no day");
    Some(Complaint { key: "template_date", problem, remedy: "write it as \"2026-11-30\"".into() })
}
