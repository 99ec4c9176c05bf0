//! Words for metrics and machines, for readers who do not know the keys.

use super::number::{NBSP, Precision, compact, with_unit};
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
        "prefill_tok_s" => "prompt reading speed",
        "ttft" => "time to first token",
        "ttfo" => "time to first token of the answer",
        "itl" => "gap between tokens",
        "full_reply_s" => "time to the full reply",
        "chars_per_s" => "characters per second",
        "reply_tokens" => "length of a reply",
        "quality" => "share of correct answers",
        "capped_share" => "share of replies cut off",
        "unanswered_share" => "share without an answer",
        "failed_share" => "share of failed items",
        "peak_rss" => "peak memory",
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
    if is_share(metric) { "% of items".into() } else { metric.unit.clone() }
}

/// A value with its unit; times below a second in milliseconds.
pub(super) fn quantity(metric: &MetricAnalysis, value: f64) -> String {
    if metric.unit == "s" && value.abs() < 1.0 {
        return with_unit(compact(1000.0 * value), "ms");
    }
    with_unit(compact(value), &metric.unit)
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
    let Ok(Value::Object(parts)) = serde_json::from_str::<Value>(recorded) else { return recorded.into() };
    let text = |key: &str| parts.get(key).and_then(Value::as_str).map(String::from);
    let number = |key: &str, unit: &str| {
        parts.get(key).and_then(Value::as_u64).map(|number| format!("{number}{NBSP}{unit}"))
    };
    let accelerators = parts.get("accelerators").and_then(Value::as_array).into_iter().flatten();
    let words = [text("cpu"), number("cores", "cores"), number("memory_gib", "GiB")]
        .into_iter()
        .flatten()
        .chain(accelerators.filter_map(Value::as_str).map(String::from));
    words.collect::<Vec<_>>().join(", ")
}
