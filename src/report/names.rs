//! Words for metrics and machines, for readers who do not know the keys.

use super::number::{NBSP, Precision, compact, trimmed, with_unit};
use crate::compare::MetricAnalysis;
use serde_json::Value;

/// The metric in words with its key, which is the word in plans and records.
pub(super) fn spoken(metric: &MetricAnalysis) -> String {
    let words = words(metric);
    if words == metric.metric { words.into() } else { format!("{words} ({})", metric.metric) }
}

/// The metric in words alone.
pub(super) fn words(metric: &MetricAnalysis) -> &str {
    match metric.metric.as_str() {
        "decode_tok_s" => "decoding speed",
        "engine_decode_tok_s" => "decoding speed by the engine's own clock",
        "prefill_tok_s" => "prompt reading speed",
        "ttft" => "time to first token",
        "ttfo" => "time to first token of the answer",
        "itl" => "gap between tokens",
        "icl" => "gap between deliveries",
        "full_reply_s" => "time to the full reply",
        "chars_per_s" => "characters per second",
        "reply_tokens" => "length of a reply",
        "quality" => "share of correct answers",
        "capped_share" => "share of replies cut off",
        "unanswered_share" => "share without an answer",
        "failed_share" => "share of failed items",
        "accepted_share" => "share of guessed tokens accepted",
        "peak_rss" => "peak memory",
        "accelerator_peak" => "peak memory of the accelerator",
        "predicted_memory" => "predicted memory",
        "load_peak_rss" => "peak memory while loading",
        "load_s" => "loading time",
        _ => &metric.title,
    }
}

/// True for a share of items, which is kept between 0 and 1 and shown in per cent.
pub(super) fn is_share(metric: &MetricAnalysis) -> bool {
    metric.unit == "share"
}

/// The unit of a metric's values as shown.
pub(super) fn unit(metric: &MetricAnalysis) -> String {
    if metric.metric == "accepted_share" {
        return "% of guessed tokens".into();
    }
    if is_share(metric) {
        return "% of items".into();
    }
    let largest = metric.cells.iter().filter_map(|cell| cell.value).fold(0.0, f64::max);
    scale_and_unit(metric, if largest > 0.0 { largest } else { 1.0 }).1.into()
}

/// A value with its unit; times below a second in milliseconds.
pub(super) fn quantity(metric: &MetricAnalysis, value: f64) -> String {
    let (scale, unit) = scale_and_unit(metric, value.abs());
    with_unit(compact(scale * value), unit)
}

/// A value of a single run: two significant digits, as no more can be read from it.
pub(super) fn roughly(metric: &MetricAnalysis, value: f64) -> String {
    let (scale, unit) = scale_and_unit(metric, value.abs());
    let value = scale * value;
    let digits = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    let step = 10f64.powi(digits - 1);
    with_unit(trimmed((value / step).round() * step), unit)
}

/// `873.4 → 3094 tok/s`: a metric's values of two cells, the unit once.
pub(super) fn before_and_after(metric: &MetricAnalysis, before: u32, after: u32) -> Option<String> {
    let value = |cell: u32| metric.cells.iter().find(|value| value.cell == cell && !value.control)?.value;
    let (before, after) = (value(before)?, value(after)?);
    if is_share(metric) {
        return Some(format!("{} \u{2192} {}", percent(before), percent(after)));
    }
    let (scale, unit) = scale_and_unit(metric, before.abs().max(after.abs()));
    Some(with_unit(format!("{} \u{2192} {}", compact(scale * before), compact(scale * after)), unit))
}

/// What a value is multiplied by for the unit that it is shown in: times below a second in milliseconds.
fn scale_and_unit(metric: &MetricAnalysis, size: f64) -> (f64, &str) {
    if metric.unit == "s" && size < 1.0 { (1000.0, "ms") } else { (1.0, &metric.unit) }
}

/// A share of `n` items in per cent.
pub(super) fn percent_of(share: f64, n: u32) -> String {
    format!("{}{NBSP}%", Precision::of_items(n).plain(100.0 * share))
}

/// A small probability in per cent, without needless decimals.
pub(super) fn percent(share: f64) -> String {
    let text = format!("{:.1}", 100.0 * share);
    format!("{}{NBSP}%", text.strip_suffix(".0").unwrap_or(&text))
}

/// A recorded machine in a few words: `Example CPU 1, 2 cores, 8 GiB`.
pub(super) fn machine(recorded: &str) -> String {
    machine_parts(recorded).map_or_else(|| recorded.into(), |parts| parts.join(", "))
}

/// The same without its memory and accelerators: `Example CPU 1, 2 cores`.
pub(super) fn machine_in_short(recorded: &str) -> String {
    machine_parts(recorded).map_or_else(|| recorded.into(), |parts| parts[..parts.len().min(2)].join(", "))
}

fn machine_parts(recorded: &str) -> Option<Vec<String>> {
    let Ok(Value::Object(parts)) = serde_json::from_str::<Value>(recorded) else { return None };
    let text = |key: &str| parts.get(key).and_then(Value::as_str).map(String::from);
    let number = |key: &str, unit: &str| {
        parts.get(key).and_then(Value::as_u64).map(|number| format!("{number}{NBSP}{unit}"))
    };
    let accelerators = parts.get("accelerators").and_then(Value::as_array).into_iter().flatten();
    let words = [text("cpu"), number("cores", "cores"), number("memory_gib", "GiB")];
    Some(
        words.into_iter().flatten().chain(accelerators.filter_map(Value::as_str).map(String::from)).collect(),
    )
}
