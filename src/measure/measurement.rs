//! From the items of a run to its metrics.

use super::times::median;
use super::{CATALOGUE, Item, Measured, Metric};
use crate::abilities::Footprint;
use crate::generation::StopReason;
use std::collections::BTreeMap;

/// What is read around the generations.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Around {
    /// Seconds to open the engine.
    pub load_s: Option<f64>,
    /// Largest resident set up to the first warm-up generation, MiB.
    pub load_peak_rss: Option<f64>,
    /// Largest resident set over the measured window, MiB.
    pub peak_rss: Option<f64>,
    /// Most memory held on an accelerator while a measured reply was made, MiB.
    pub accelerator_peak: Option<f64>,
    /// Memory foreseen for the model.
    pub footprint: Option<Footprint>,
    /// Replies have a fixed length (EOS ignored): what depends on where the model stops is not measured.
    pub fixed_length: bool,
}

/// The metrics of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measurement {
    /// By name.
    pub metrics: BTreeMap<String, Measured>,
    /// Samples that were impossible and are left out, by name.
    pub warnings: Vec<String>,
}

/// Either a value with the number of items behind it, or the reason why there is none.
type Outcome = Result<(f64, usize), &'static str>;

/// Measures a run. Passes share one process and are not independent: times are first summarised to their median over passes.
pub fn measure(items: &[Item], around: &Around) -> Measurement {
    let (items, warnings) = without_impossible(items);
    let of_run = CATALOGUE.iter().filter(|metric| metric.name != "reply_agreement");
    let metrics = of_run.map(|metric| (metric.name.to_owned(), measured(metric, &items, around))).collect();
    Measurement { metrics, warnings }
}

fn measured(metric: &Metric, items: &[Item], around: &Around) -> Measured {
    match outcome(metric.name, items, around) {
        Ok((value, n)) => Measured::of(metric, value, n),
        Err(reason) => Measured::missing(metric, reason),
    }
}

fn outcome(name: &str, items: &[Item], around: &Around) -> Outcome {
    const NO_MEMORY: &str =
        "the system does not tell it, the engine's process is not known, or the clock is virtual";
    let by_model =
        |value: Outcome| if around.fixed_length { Err("replies have a fixed length") } else { value };
    match name {
        "ttft" => median_time(items, |item| item.ttft_s, "no reply delivered a token"),
        "ttfo" => median_time(items, |item| item.ttfo_s, "no reply reached an answer after its reasoning"),
        "itl" | "icl" if items.iter().any(|item| item.accepted.is_some_and(|accepted| accepted > 0)) => {
            Err("guessed tokens were accepted, which come out of one pass and arrive together")
        }
        "itl" => median_time(items, |item| item.itl_s, "no reply delivered its tokens one by one"),
        "icl" => median_time(items, |item| item.icl_s, "no reply delivered several tokens at once"),
        "full_reply_s" => median_time(items, |item| item.full_s, "no reply delivered a token"),
        "decode_tok_s" => pooled(items, decode, "no reply went beyond its first delivery"),
        // Of a reply without guesses the passes are known; it stands for no others.
        "engine_decode_tok_s" if items.iter().any(guessed) => {
            Err("tokens were guessed ahead, and how many passes that took is not told")
        }
        "engine_decode_tok_s" => pooled(items, computed, "the engine does not time its own decoding"),
        "prefill_tok_s" => {
            pooled(items, prefill, "cached tokens or the time for reading the prompt are unknown")
        }
        "chars_per_s" => pooled(items, characters, "no reply delivered text"),
        "reply_tokens" => per_item(items, |item| item.reply_tokens.map(f64::from), "tokens were not counted"),
        "quality" => per_item(items, |item| item.score, "nothing was scored"),
        "capped_share" => by_model(per_item(items, capped, "no reply ended")),
        "unanswered_share" => {
            by_model(per_item(items, |item| Some(share(item.answer.is_none())), "nothing was asked"))
        }
        "failed_share" => per_item(items, |item| Some(share(item.error.is_some())), "nothing was asked"),
        "accepted_share" => per_item(items, Item::accepted_share, "no token was guessed ahead"),
        "peak_rss" => once(around.peak_rss, NO_MEMORY),
        "accelerator_peak" => {
            once(around.accelerator_peak, "there is no accelerator, or the engine does not tell")
        }
        "predicted_memory" => once(predicted_memory(items, around.footprint), "the engine foresees none"),
        "load_peak_rss" => once(around.load_peak_rss, NO_MEMORY),
        "load_s" => once(around.load_s, "it was not timed"),
        _ => Err("no definition"),
    }
}

fn once(value: Option<f64>, reason: &'static str) -> Outcome {
    value.map(|value| (value, 1)).ok_or(reason)
}

/// The longest sequence decides.
fn predicted_memory(items: &[Item], footprint: Option<Footprint>) -> Option<f64> {
    let of_item = |item: &Item| {
        let prompt = u64::from(item.prompt_tokens?);
        Some(footprint?.mib(prompt, prompt + u64::from(item.reply_tokens.unwrap_or_default())))
    };
    items.iter().filter_map(of_item).max_by(f64::total_cmp)
}

/// One item's part of a share.
fn share(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn capped(item: &Item) -> Option<f64> {
    item.stop.map(|stop| share(matches!(stop, StopReason::Length | StopReason::Context)))
}

fn decode(item: &Item) -> Option<(f64, f64)> {
    Some((f64::from(item.decode_tokens?), item.decode_s?))
}

fn computed(item: &Item) -> Option<(f64, f64)> {
    Some((f64::from(item.steps?), item.compute_s?))
}

fn guessed(item: &Item) -> bool {
    item.drafted.is_some_and(|drafted| drafted > 0)
}

fn prefill(item: &Item) -> Option<(f64, f64)> {
    let fresh = item.prompt_tokens?.checked_sub(item.cached_tokens?)?;
    (fresh > 0).then_some((f64::from(fresh), item.prefill_s?))
}

fn characters(item: &Item) -> Option<(f64, f64)> {
    let count = item.text.chars().count();
    (count > 0).then_some((count as f64, item.full_s?))
}

/// Median over items of the median over passes.
fn median_time(items: &[Item], value: impl Fn(&Item) -> Option<f64>, reason: &'static str) -> Outcome {
    let per_item = by_item(items, value);
    let medians: Vec<f64> = per_item.into_values().filter_map(median_of).collect();
    let n = medians.len();
    median_of(medians).map(|value| (value, n)).ok_or(reason)
}

/// Mean over items of the mean over passes.
fn per_item(items: &[Item], value: impl Fn(&Item) -> Option<f64>, reason: &'static str) -> Outcome {
    let means: Vec<f64> = by_item(items, value)
        .into_values()
        .map(|passes| passes.iter().sum::<f64>() / passes.len() as f64)
        .collect();
    if means.is_empty() {
        Err(reason)
    } else {
        Ok((means.iter().sum::<f64>() / means.len() as f64, means.len()))
    }
}

/// Ratio of sums over the items of a pass, then the median over passes; n counts items of the fullest pass.
fn pooled(items: &[Item], parts: impl Fn(&Item) -> Option<(f64, f64)>, reason: &'static str) -> Outcome {
    let mut passes: BTreeMap<u32, (f64, f64, usize)> = BTreeMap::new();
    for item in items {
        let Some((amount, seconds)) = parts(item) else { continue };
        let sums = passes.entry(item.pass).or_default();
        *sums = (sums.0 + amount, sums.1 + seconds, sums.2 + 1);
    }
    let n = passes.values().map(|sums| sums.2).max().unwrap_or(0);
    let rates = passes.into_values().filter(|sums| sums.1 > 0.0).map(|sums| sums.0 / sums.1).collect();
    median_of(rates).map(|rate| (rate, n)).ok_or(reason)
}

/// Known values of each item over its passes.
fn by_item(items: &[Item], value: impl Fn(&Item) -> Option<f64>) -> BTreeMap<&str, Vec<f64>> {
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for item in items {
        if let Some(value) = value(item) {
            values.entry(&item.id).or_default().push(value);
        }
    }
    values
}

fn median_of(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    median(&values)
}

/// Copies the items with impossible times taken out, and says which.
fn without_impossible(items: &[Item]) -> (Vec<Item>, Vec<String>) {
    let mut warnings = Vec::new();
    let kept = items.iter().cloned().map(|mut item| {
        for problem in take_impossible(&mut item) {
            warnings.push(format!("item {}, pass {}: {problem}: sample left out", item.id, item.pass));
        }
        item
    });
    let kept = kept.collect();
    (kept, warnings)
}

fn take_impossible(item: &mut Item) -> Vec<String> {
    let mut problems = Vec::new();
    if let (Some(prefill), Some(ttft)) = (item.prefill_s, item.ttft_s) {
        // A microsecond for engines that round their own clock.
        if prefill > ttft + 1e-6 {
            problems.push(format!("prefill_s {prefill} is longer than ttft_s {ttft}"));
            item.prefill_s = None;
        }
    }
    if item.cached_tokens > item.prompt_tokens && item.prompt_tokens.is_some() {
        problems.push("more cached_tokens than prompt_tokens".into());
        item.cached_tokens = None;
    }
    let times = [
        ("ttft_s", &mut item.ttft_s, false),
        ("ttfo_s", &mut item.ttfo_s, false),
        ("prefill_s", &mut item.prefill_s, true),
        ("decode_s", &mut item.decode_s, true),
        ("full_s", &mut item.full_s, false),
        ("itl_s", &mut item.itl_s, true),
        ("icl_s", &mut item.icl_s, true),
        ("compute_s", &mut item.compute_s, true),
    ];
    for (name, value, positive) in times {
        let Some(seconds) = *value else { continue };
        if !seconds.is_finite() || seconds < 0.0 || (positive && seconds == 0.0) {
            problems.push(format!("{name} is {seconds}"));
            *value = None;
        }
    }
    problems
}
