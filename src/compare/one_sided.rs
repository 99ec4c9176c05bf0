//! Cells whose scorer hardly chose: nearly every time the option at the same place.

use super::arms::Arms;
use super::identity::first_pass;
use std::collections::BTreeMap;

/// Share of items from which on a choice says nothing.
const NEARLY_ALL: f64 = 0.9;

/// Fewest items of which that is said.
const FEWEST: usize = 10;

/// A warning that names the cells in which nearly every item got the option at one and the same place. Such a score is
/// that of a fixed answer.
pub(super) fn one_sided(arms: &Arms<'_>) -> Option<String> {
    let cells = (0..arms.planned.arms.len()).filter(|arm| arms.control() != Some(*arm));
    let found: Vec<String> = cells.filter_map(|arm| of_arm(arms, arm)).collect();
    let told = |list: &[String]| {
        format!(
            "{} chose nearly always the option at one place, whatever the question: {}; such a score is that of a fixed answer",
            if list.len() == 1 { "One cell" } else { "Some cells" },
            list.join("; ")
        )
    };
    (!found.is_empty()).then(|| told(&found))
}

fn of_arm(arms: &Arms<'_>, arm: usize) -> Option<String> {
    let items = first_pass(arms.runs_of(arm).next()?);
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for chosen in items.values().filter_map(|item| item.chosen) {
        *counts.entry(chosen).or_default() += 1;
    }
    let (place, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let nearly_all = items.len() >= FEWEST && count as f64 >= NEARLY_ALL * items.len() as f64;
    nearly_all.then(|| format!("{} ({}, {count} of {})", arms.names[arm], letter(place), items.len()))
}

fn letter(place: u32) -> String {
    let letter = crate::task::CHOICE_LETTERS.chars().nth(place as usize);
    letter.map_or_else(|| place.to_string(), String::from)
}
