//! Memory that a plan's models will need, before any is loaded.

use crate::abilities::Footprint;
use crate::condition::Settings;
use crate::engine;
use crate::measure::Machine;
use crate::plan::Planned;
use std::path::Path;

/// Tokens of a task's prompt where nobody has counted them yet.
const ASSUMED_PROMPT: u64 = 512;
/// Lines before the rest is left out.
const MOST: usize = 12;

/// A line for each model and format that the plan loads, the largest first, and what the machine has; nothing where no
/// model is held in this program.
pub(super) fn memory_lines(planned: &Planned) -> Vec<String> {
    let (prompt, sequence) = longest(planned);
    let base = planned.path.parent().unwrap_or(Path::new(""));
    let mut needs: Vec<(f64, String)> = loads(planned)
        .into_iter()
        .filter_map(|settings| {
            let footprint = engine::foresee(settings, base).ok().flatten()?;
            let need = footprint.mib(prompt, sequence);
            Some((need, in_words(settings, &footprint, need, sequence)))
        })
        .collect();
    needs.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let Some((largest, _)) = needs.first() else { return Vec::new() };
    let head = format!(
        "memory foreseen, with {prompt} tokens of prompt and {} of reply (program and vocabulary come on top):",
        sequence - prompt
    );
    let too_much = shortage(*largest);
    let left_out = needs.len().saturating_sub(MOST);
    let more = (left_out > 0).then(|| format!("  and {left_out} smaller ones"));
    let lines = needs.into_iter().take(MOST).map(|(_, line)| line);
    [head].into_iter().chain(lines).chain(more).chain(too_much).collect()
}

/// One cell's settings for each model that is loaded differently.
fn loads(planned: &Planned) -> Vec<&Settings> {
    let mut loads: Vec<&Settings> = Vec::new();
    let key = |settings: &Settings| {
        let Settings { engine, model, quantization, context_length, prefill_chunk, .. } = settings;
        (*engine, model.clone(), quantization.clone(), *context_length, *prefill_chunk)
    };
    for cell in &planned.cells {
        if !loads.iter().any(|known| key(known) == key(&cell.settings)) {
            loads.push(&cell.settings);
        }
    }
    loads
}

/// The longest prompt, and the longest prompt with its reply.
fn longest(planned: &Planned) -> (u64, u64) {
    let limits = planned.cells.iter().filter_map(|cell| cell.settings.max_tokens.get());
    let limit = limits.max().copied().map_or(0, u64::from);
    let tokens = planned.workloads.iter().map(|workload| {
        let workload = &workload.workload;
        let number = |tokens: Option<u32>| tokens.map(u64::from);
        let prompt = number(workload.prompt_tokens).unwrap_or(ASSUMED_PROMPT);
        (prompt, prompt + number(workload.gen_tokens).unwrap_or(limit))
    });
    tokens.max_by_key(|(_, sequence)| *sequence).unwrap_or((ASSUMED_PROMPT, ASSUMED_PROMPT + limit))
}

fn in_words(settings: &Settings, footprint: &Footprint, need: f64, sequence: u64) -> String {
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let format = settings.quantization.get().map_or("as stored", String::as_str);
    let (weights, cache) = (mib(footprint.weights), mib(footprint.cache_per_token * sequence));
    format!(
        "  {} {format}: {need:.0} MiB (weights {weights:.0}, cache {cache:.0}, intermediate values {:.0})",
        settings.model.get().map_or("", String::as_str),
        need - weights - cache
    )
}

fn shortage(need: f64) -> Option<String> {
    let free = Machine::default().readings().free_memory_mib.filter(|free| need > *free as f64)?;
    Some(format!("  that is more than the {free} MiB that this machine has free now: expect failed runs"))
}
