//! A change in words: its size, its direction, its interval.

use crate::compare::{Bounds, DeltaUnit, Direction, MetricAnalysis, Replication};
use crate::report::number::{self, NBSP, Precision};

/// Word for the unit of a metric's deltas.
pub(in crate::report) fn delta_unit(metric: &MetricAnalysis) -> &str {
    match metric.delta_unit {
        DeltaUnit::Percent => "%",
        DeltaUnit::Points => "points",
        DeltaUnit::Own => &metric.unit,
    }
}

/// Digits that a change deserves: those of its interval; points of shares of items have the same everywhere.
pub(in crate::report) fn precision(
    metric: &MetricAnalysis,
    bounds: Option<&Bounds>,
    delta: Option<f64>,
) -> Precision {
    match (metric.delta_unit, metric.replication, bounds, delta) {
        (DeltaUnit::Points, Replication::Item, ..) => Precision::of_points(metric.n),
        (_, _, Some(bounds), _) => Precision::of_half_width((bounds.high - bounds.low) / 2.0),
        (_, _, None, delta) => Precision::of_size(delta.unwrap_or(0.0)),
    }
}

/// `35.1 % higher (better)`; without a judgement where the metric has no better side.
pub(super) fn change_words(metric: &MetricAnalysis, delta: f64, precision: Precision) -> String {
    let way = way(metric, delta, precision);
    match better(metric, delta) {
        Some(judgement) => format!("{way} ({judgement})"),
        None => way,
    }
}

/// `35.1 % higher`.
pub(super) fn way(metric: &MetricAnalysis, delta: f64, precision: Precision) -> String {
    let size = number::with_unit(precision.visible(delta.abs()), delta_unit(metric));
    format!("{size} {}", if delta < 0.0 { "lower" } else { "higher" })
}

/// `better` or `worse`.
pub(super) fn better(metric: &MetricAnalysis, delta: f64) -> Option<&'static str> {
    match (metric.direction, delta > 0.0) {
        (Direction::Neutral, _) => None,
        _ if delta == 0.0 => None,
        (Direction::HigherIsBetter, true) | (Direction::LowerIsBetter, false) => Some("better"),
        _ => Some("worse"),
    }
}

/// What a change in per cent multiplies by, where per cent would be misread: from the double up, and from the half down.
pub(in crate::report) fn multiple(metric: &MetricAnalysis, delta: f64) -> Option<f64> {
    let large = delta >= 100.0 || delta <= -50.0;
    (metric.delta_unit == DeltaUnit::Percent && large).then_some(factor(delta))
}

/// A change in per cent as a factor.
fn factor(percent: f64) -> f64 {
    1.0 + percent / 100.0
}

/// `3.5 times`, in the digits that its interval carries.
pub(super) fn times(delta: f64, bounds: &Bounds) -> String {
    let precision = times_precision(bounds);
    number::with_unit(precision.plain(factor(delta)), "times")
}

fn times_precision(bounds: &Bounds) -> Precision {
    Precision::of_half_width((factor(bounds.high) - factor(bounds.low)) / 2.0)
}

/// The interval in words, with its level and what it covers; as multiples where the change is one.
pub(super) fn interval_words(metric: &MetricAnalysis, delta: f64, bounds: &Bounds) -> String {
    let ends = if multiple(metric, delta).is_some() {
        let precision = times_precision(bounds);
        let end = |percent: f64| precision.plain(factor(percent));
        number::with_unit(format!("{}{NBSP}to{NBSP}{}", end(bounds.low), end(bounds.high)), "times")
    } else {
        ends(metric, bounds, Some(delta))
    };
    format!("{} {ends}{}", kind(bounds), open(bounds))
}

/// `98.3 % simultaneous interval`.
pub(super) fn kind(bounds: &Bounds) -> String {
    let kind = if bounds.simultaneous { "simultaneous " } else { "" };
    format!("{}{NBSP}% {kind}interval", level(bounds.level))
}

fn open(bounds: &Bounds) -> &'static str {
    if bounds.open_at_zero { ", zero excluded" } else { "" }
}

/// `−0.5 to +0.9 %`.
pub(in crate::report) fn ends(metric: &MetricAnalysis, bounds: &Bounds, delta: Option<f64>) -> String {
    number::range(bounds.low, bounds.high, precision(metric, Some(bounds), delta), delta_unit(metric))
}

/// How far an interval reaches to each side of the estimate; changes in per cent are measured as ratios.
pub(super) fn half_width(metric: &MetricAnalysis, bounds: &Bounds) -> f64 {
    if metric.delta_unit == DeltaUnit::Percent {
        100.0 * ((factor(bounds.high) / factor(bounds.low)).sqrt() - 1.0)
    } else {
        (bounds.high - bounds.low) / 2.0
    }
}

/// The level of an interval: `95`, `98.3`.
pub(in crate::report) fn level(level: f64) -> String {
    let text = format!("{level:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

/// The text with a capital first letter; a key of the plan, such as `json_schema`, keeps its spelling.
pub(in crate::report) fn capital(text: &str) -> String {
    if text.split(' ').next().is_some_and(|word| word.contains('_')) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
