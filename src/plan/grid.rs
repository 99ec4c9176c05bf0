//! Factors become cells: every combination of levels that is not excluded, equal ones once.

use super::collapse;
use super::error::{PlanError, suggest};
use super::levels::{Draft, DraftFactor, word_of};
use super::source::{Part, Source, child};
use super::{Cell, Factor};
use crate::condition::{Field, Settings};
use serde_json::{Map, Value};

/// Most combinations that are planned.
pub(super) const MAX_CELLS: u128 = 1_000_000;

/// Marks a combination that is no cell.
const NONE: u32 = u32::MAX;

/// The cells and where they stand in the grid.
#[derive(Debug, Default)]
pub(super) struct Grid {
    /// In order of the grid: the last factor moves fastest.
    pub(super) cells: Vec<Cell>,
    /// Cell of each combination; of equal combinations the first owns the cell.
    cell_at: Vec<u32>,
    /// Combinations that one step of each factor moves on.
    strides: Vec<usize>,
    /// Combinations that are equal to an earlier one.
    pub(super) collapsed: usize,
    /// Combinations left out.
    pub(super) excluded: usize,
}

impl Grid {
    /// The cell of these levels, if they make one.
    pub(super) fn cell(&self, levels: &[u16]) -> Option<u32> {
        let position: usize =
            levels.iter().zip(&self.strides).map(|(&level, stride)| usize::from(level) * stride).sum();
        self.cell_at.get(position).copied().filter(|&cell| cell != NONE)
    }

    /// The cell of these levels, if it is theirs and not that of an equal combination.
    pub(super) fn own_cell(&self, levels: &[u16]) -> Option<u32> {
        self.cell(levels).filter(|&cell| self.cells[cell as usize].levels == levels)
    }
}

/// The factors as the rest of the program sees them.
pub(super) fn factors(draft: &Draft) -> Vec<Factor> {
    let known = |factor: &DraftFactor| factor.fields.of(0, 1).or_else(|| Field::named(&factor.name));
    let shown = |factor: &DraftFactor| Factor {
        name: factor.name.clone(),
        field: known(factor).unwrap_or(Field::Deployment),
        levels: factor.levels.iter().map(|level| level.word.clone()).collect(),
    };
    draft.factors.iter().map(shown).collect()
}

/// Makes the cells; refuses an absurd number of them before any is made.
pub(super) fn expand(
    draft: &Draft,
    excludes: &[Map<String, Value>],
    source: &Source,
    errors: &mut Vec<PlanError>,
) -> Option<Grid> {
    let sizes: Vec<usize> = draft.factors.iter().map(|factor| factor.levels.len()).collect();
    let size = sizes.iter().fold(1_u128, |product, &levels| product.saturating_mul(levels as u128));
    if size > MAX_CELLS {
        let shown: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let problem = format!("the grid has {} = {size} cells", shown.join(" x "));
        let remedy = format!("at most {MAX_CELLS} are planned: drop levels or factors, or split the plan");
        errors.push(source.error("/grid", Part::Key, problem, remedy));
        return None;
    }
    let rules = exclusions(draft, excludes, source, errors);
    let mut grid = Grid { strides: strides(&sizes), ..Grid::default() };
    let mut matched = vec![0_usize; rules.len()];
    let mut seen = collapse::Seen::new(draft);
    for position in 0..size as usize {
        let levels = levels_at(position, &grid.strides, &sizes);
        let cell = if excluded(&rules, &levels, &mut matched) {
            grid.excluded += 1;
            NONE
        } else {
            add(&mut grid, draft, levels, &mut seen, source, errors)?
        };
        grid.cell_at.push(cell);
    }
    check_exclusions(&rules, &matched, grid.cells.is_empty(), source, errors);
    (!grid.cells.is_empty()).then_some(grid)
}

fn add(
    grid: &mut Grid,
    draft: &Draft,
    levels: Vec<u16>,
    seen: &mut collapse::Seen,
    source: &Source,
    errors: &mut Vec<PlanError>,
) -> Option<u32> {
    let index = grid.cells.len() as u32;
    let settings = match settings_of(draft, &levels) {
        Ok(settings) => settings,
        Err(problem) => {
            errors.push(source.error("/settings", Part::Key, problem, "mend the setting that it names"));
            return None;
        }
    };
    if let Some(equal) = seen.equal_cell(draft, &levels, &settings, index) {
        grid.collapsed += 1;
        return Some(equal);
    }
    grid.cells.push(Cell { index, label: label(draft, &levels), levels, settings });
    Some(index)
}

/// All settings of a combination of levels.
fn settings_of(draft: &Draft, levels: &[u16]) -> Result<Settings, String> {
    let mut map = draft.base.clone();
    for (factor, &level) in draft.factors.iter().zip(levels) {
        for (key, value) in &factor.levels[usize::from(level)].sets {
            map.insert(key.clone(), value.clone());
        }
    }
    serde_json::from_value(Value::Object(map)).map_err(|error| error.to_string())
}

fn label(draft: &Draft, levels: &[u16]) -> String {
    let mut label = String::new();
    for (factor, &level) in draft.factors.iter().zip(levels) {
        if !label.is_empty() {
            label.push(' ');
        }
        label.push_str(&factor.name);
        label.push('=');
        label.push_str(&factor.levels[usize::from(level)].word);
    }
    label
}

fn strides(sizes: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; sizes.len()];
    for index in (1..sizes.len()).rev() {
        strides[index - 1] = strides[index] * sizes[index];
    }
    strides
}

fn levels_at(position: usize, strides: &[usize], sizes: &[usize]) -> Vec<u16> {
    strides.iter().zip(sizes).map(|(stride, size)| (position / stride % size) as u16).collect()
}

/// One `[[grid.exclude]]`: for each factor named, the levels that it takes out.
struct Exclusion {
    pointer: String,
    conditions: Vec<(usize, Vec<u16>)>,
}

fn exclusions(
    draft: &Draft,
    excludes: &[Map<String, Value>],
    source: &Source,
    errors: &mut Vec<PlanError>,
) -> Vec<Exclusion> {
    let mut rules = Vec::new();
    for (index, table) in excludes.iter().enumerate() {
        let pointer = format!("/grid/exclude/{index}");
        let before = errors.len();
        let conditions = table.iter().filter_map(|(name, wanted)| {
            let at = child(&pointer, name);
            let factor = find_factor(draft, name, &at, source, errors)?;
            let wanted = wanted.as_array().map_or_else(|| std::slice::from_ref(wanted), Vec::as_slice);
            let levels =
                wanted.iter().filter_map(|value| find_level(draft, factor, value, &at, source, errors));
            Some((factor, levels.collect()))
        });
        let conditions: Vec<(usize, Vec<u16>)> = conditions.collect();
        if errors.len() == before {
            rules.push(Exclusion { pointer, conditions });
        }
    }
    rules
}

/// The factor of this name, or an error that names the nearest.
pub(super) fn find_factor(
    draft: &Draft,
    name: &str,
    pointer: &str,
    source: &Source,
    errors: &mut Vec<PlanError>,
) -> Option<usize> {
    let found = draft.factors.iter().position(|factor| factor.name == name);
    if found.is_none() && !source.is_doubtful(&child("/grid", name)) {
        let known: Vec<&str> = draft.factors.iter().map(|factor| factor.name.as_str()).collect();
        let problem = format!("`{name}` is no factor of [grid]");
        errors.push(source.error(pointer, Part::Key, problem, suggest(name, &known, "factors")));
    }
    found
}

/// The level that a value names, or an error that names the nearest.
pub(super) fn find_level(
    draft: &Draft,
    factor: usize,
    value: &Value,
    pointer: &str,
    source: &Source,
    errors: &mut Vec<PlanError>,
) -> Option<u16> {
    let factor = &draft.factors[factor];
    let found = factor.level_of(value);
    if found.is_none() {
        let word = word_of(value);
        let problem = format!("`{}` has no level `{word}`", factor.name);
        errors.push(source.error(pointer, Part::Value, problem, suggest(&word, &factor.words(), "levels")));
    }
    found
}

fn excluded(rules: &[Exclusion], levels: &[u16], matched: &mut [usize]) -> bool {
    let mut out = false;
    for (rule, count) in rules.iter().zip(matched) {
        if rule.conditions.iter().all(|(factor, out)| out.contains(&levels[*factor])) {
            *count += 1;
            out = true;
        }
    }
    out
}

fn check_exclusions(
    rules: &[Exclusion],
    matched: &[usize],
    empty: bool,
    source: &Source,
    errors: &mut Vec<PlanError>,
) {
    for (rule, _) in rules.iter().zip(matched).filter(|&(_, &count)| count == 0) {
        let remedy = "name levels of the grid, or remove this [[grid.exclude]]";
        errors.push(source.error(&rule.pointer, Part::Key, "this exclusion matches no cell", remedy));
    }
    if empty && !rules.is_empty() {
        let remedy = "remove a [[grid.exclude]] or narrow it";
        errors.push(source.error("/grid/exclude", Part::Key, "the exclusions leave no cell", remedy));
    }
}
