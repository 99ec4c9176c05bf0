//! The held-out task sets that are checked in under `plans/tasks/`.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{Family, Sample, is_held_out};

/// One line of a task set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskItem {
    /// Unique inside the set, `family-NNN`.
    pub id: String,
    /// The user's prompt.
    pub prompt: String,
    /// The final answer, compared exactly after trimming.
    pub expected: String,
}

impl TaskItem {
    /// The family, which the id begins with. It is no `group`: items of a family are drawn independently, so they are no
    /// cluster for the statistics.
    pub fn family(&self) -> &str {
        self.id.rsplit_once('-').map_or(&self.id, |(family, _)| family)
    }
}

/// How one task set is drawn.
#[derive(Debug, Clone, Copy)]
pub struct TaskSetSpec {
    /// File name under `plans/tasks/`.
    pub file: &'static str,
    /// Items of each family.
    pub per_family: usize,
    /// Seed of the draw.
    pub seed: u64,
    /// Prompts longer than this many characters are left out (None: none are).
    pub longest_prompt: Option<usize>,
}

/// The three checked-in task sets.
pub const TASK_SETS: [TaskSetSpec; 3] = [
    TaskSetSpec { file: "pico-mixed.jsonl", per_family: 20, seed: 101, longest_prompt: None },
    TaskSetSpec { file: "pico-large.jsonl", per_family: 80, seed: 102, longest_prompt: None },
    TaskSetSpec { file: "pico-smoke.jsonl", per_family: 1, seed: 103, longest_prompt: Some(100) },
];

/// The items of a set: held-out prompts only, no prompt twice, families in order.
pub fn held_out_items(spec: &TaskSetSpec) -> Vec<TaskItem> {
    let mut rng = ChaCha8Rng::seed_from_u64(spec.seed);
    let mut seen = HashSet::new();
    let mut items = Vec::new();
    for family in Family::SCORED {
        let mut number = 0;
        while number < spec.per_family {
            let sample = Sample::draw(family, &mut rng);
            let fits = spec.longest_prompt.is_none_or(|longest| sample.user.len() <= longest);
            if fits && is_held_out(&sample.user) && seen.insert(sample.user.clone()) {
                number += 1;
                items.push(item(family, number, sample));
            }
        }
    }
    items
}

fn item(family: Family, number: usize, sample: Sample) -> TaskItem {
    TaskItem { id: format!("{}-{number:03}", family.name()), prompt: sample.user, expected: sample.answer }
}

/// Writes the three task sets into `dir` (one JSON object a line), replacing what is there.
pub fn write_task_sets(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    for spec in &TASK_SETS {
        let mut text = String::new();
        for item in held_out_items(spec) {
            text.push_str(&serde_json::to_string(&item)?);
            text.push('\n');
        }
        fs::write(dir.join(spec.file), text)?;
    }
    Ok(())
}
