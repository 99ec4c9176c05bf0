//! Memory that a plan's models will need, before any is loaded.

use crate::abilities::Footprint;
use crate::condition::Settings;
use crate::engine::{self, EngineError};
use crate::measure::Machine;
use crate::plan::Planned;
use std::collections::HashSet;

/// Tokens of a task's prompt where nobody has counted them yet.
const ASSUMED_PROMPT: u64 = 512;
/// Lines before the rest is left out.
const MOST: usize = 12;

/// A line for each model and format that the plan loads, the largest first, and what the machine has; nothing where no
/// model is held in this program.
pub(super) fn memory_lines(planned: &Planned) -> Vec<String> {
    let (prompt, sequence) = longest(planned);
    let base = planned.folder();
    let (mut needs, mut refused) = (Vec::new(), Vec::new());
    for settings in loads(planned) {
        match engine::foresee(settings, base) {
            Ok(Some(footprint)) => {
                let need = footprint.mib(prompt, sequence);
                needs.push((need, in_words(settings, &footprint, need, sequence)));
            }
            Err(error @ EngineError::Unsupported { .. }) => {
                refused.push(format!("{} cannot be opened: {error}", name_of(settings)));
            }
            // what else keeps a model from being opened, the notes of the plan tell
            Ok(None) | Err(_) => {}
        }
    }
    needs.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let Some((largest, _)) = needs.first() else { return refused };
    let head = format!(
        "memory foreseen, with {prompt} tokens of prompt and {} of reply (program and vocabulary come on top):",
        sequence - prompt
    );
    let too_much = shortage(*largest);
    let left_out = needs.len().saturating_sub(MOST);
    let more = (left_out > 0).then(|| format!("  and {left_out} smaller ones"));
    let lines = needs.into_iter().take(MOST).map(|(_, line)| line);
    [head].into_iter().chain(lines).chain(more).chain(too_much).chain(refused).collect()
}

/// One cell's settings for each model that is loaded differently.
fn loads(planned: &Planned) -> Vec<&Settings> {
    let mut seen = HashSet::new();
    let mut loads = Vec::new();
    for settings in planned.cells.iter().map(|cell| &cell.settings) {
        let Settings { engine, model, quantization, context_length, prefill_chunk, .. } = settings;
        let sizes = (context_length.get(), prefill_chunk.get());
        if seen.insert((engine.get(), model.get(), quantization.get(), sizes)) {
            loads.push(settings);
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
    let (weights, cache) = (mib(footprint.weights), mib(footprint.cache_per_token * sequence));
    format!(
        "  {}: {need:.0} MiB (weights {weights:.0}, cache {cache:.0}, intermediate values {:.0})",
        name_of(settings),
        need - weights - cache
    )
}

/// The model, its format, and what else changes how it is loaded.
fn name_of(settings: &Settings) -> String {
    let format = settings.quantization.get().map_or("as stored", String::as_str);
    let number = |name: &str, value: Option<&u32>| value.map(|value| format!(" {name}={value}"));
    let context = number("context_length", settings.context_length.get());
    let chunk = number("prefill_chunk", settings.prefill_chunk.get());
    let model = settings.model.get().map_or("", String::as_str);
    format!("{model} {format}{}{}", context.unwrap_or_default(), chunk.unwrap_or_default())
}

fn shortage(need: f64) -> Option<String> {
    let free = Machine::default().readings().free_memory_mib.filter(|free| need > *free as f64)?;
    Some(format!(
        "  that is more than the {free} MiB that this machine has free now: choose smaller formats or a shorter context, or expect failed runs"
    ))
}
