//! Sentences that cannot be misquoted: metric, unit, direction and the condition under which they hold, in each.

use super::names;
use super::number::{self, NBSP, Precision};
use crate::compare::{Bounds, DeltaUnit, Direction, EdgeFinding, FactorFinding, MetricAnalysis, Verdict};

/// Word for the unit of a metric's deltas.
pub(super) fn delta_unit(metric: &MetricAnalysis) -> &str {
    match metric.delta_unit {
        DeltaUnit::Percent => "%",
        DeltaUnit::Points => "points",
        DeltaUnit::Own => &metric.unit,
    }
}

/// `35.1 % higher (better)`; without a judgement where the metric has no better side.
pub fn change_words(metric: &MetricAnalysis, delta: f64, precision: Precision) -> String {
    let size = number::with_unit(precision.plain(delta.abs()), delta_unit(metric));
    let way = if delta < 0.0 { "lower" } else { "higher" };
    match (metric.direction, delta > 0.0) {
        (Direction::Neutral, _) => format!("{size} {way}"),
        (Direction::HigherIsBetter, true) | (Direction::LowerIsBetter, false) => {
            format!("{size} {way} (better)")
        }
        _ => format!("{size} {way} (worse)"),
    }
}

/// The interval in words, with its level and what it covers.
pub(super) fn interval_words(metric: &MetricAnalysis, bounds: &Bounds, precision: Precision) -> String {
    let kind = if bounds.simultaneous { "simultaneous " } else { "" };
    let open = if bounds.open_at_zero { ", zero excluded" } else { "" };
    let ends = number::range(bounds.low, bounds.high, precision, delta_unit(metric));
    format!("{}{NBSP}% {kind}interval {ends}{open}", level(bounds.level))
}

/// The level of an interval: `95`, `98.3`.
pub(super) fn level(level: f64) -> String {
    let text = format!("{level:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

/// Precision that an interval deserves.
pub(super) fn precision(bounds: Option<&Bounds>) -> Precision {
    Precision::of_interval(bounds.map(|bounds| (bounds.low, bounds.high)))
}

/// A factor's step as one sentence for the first screen.
pub fn factor_words(metric: &MetricAnalysis, finding: &FactorFinding) -> String {
    let FactorFinding { factor, from, to, edges, .. } = finding;
    let title = names::words(metric);
    let pair = format!("{factor} {from} \u{2192} {to}");
    if finding.withheld {
        let spread = finding.range.map_or_else(String::new, |[low, high]| {
            format!(
                " ({})",
                number::range(low, high, Precision::of_half_width((high - low) / 2.0), delta_unit(metric))
            )
        });
        return format!(
            "The {edges} edges of {pair} disagree on {title}{spread}: quote no single number, read the edges."
        );
    }
    let (Some(delta), Some(bounds)) = (finding.delta, finding.interval.as_ref()) else {
        let why = match finding.verdict {
            None if finding.edges == 0 => "each of its edges was refused or lacks a run".into(),
            ref verdict => unjudged(verdict.as_ref()),
        };
        return format!("{} of {pair} was not judged: {why}.", capital(title));
    };
    let precision = precision(Some(bounds));
    let interval = interval_words(metric, bounds, precision);
    let over = over_edges(metric, finding);
    match &finding.verdict {
        Some(Verdict::Established { smaller_than_margin }) => {
            let small = smaller_than_margin.map_or_else(String::new, |margin| {
                format!(
                    ", but smaller than your margin of \u{b1}{}",
                    number::with_unit(number::compact(margin), delta_unit(metric))
                )
            });
            let words = change_words(metric, delta, precision);
            format!(
                "{} is {words} with {factor}={to} than with {from}{small}; {interval}, {over}.",
                capital(title)
            )
        }
        Some(Verdict::Equivalent { margin }) => {
            let margin = number::with_unit(number::compact(*margin), delta_unit(metric));
            format!(
                "{} is equal within your margin of \u{b1}{margin} for {pair}; {interval}, {over}.",
                capital(title)
            )
        }
        Some(Verdict::WithinNoise { up_to, .. }) => {
            let limit = number::with_unit(precision.plain(up_to.abs()), delta_unit(metric));
            format!(
                "No difference shown in {title} for {pair}; up to {limit} is not ruled out ({interval}, {over})."
            )
        }
        other => format!(
            "{} of {pair}: no verdict, {} ({interval}, {over}).",
            capital(title),
            unjudged(other.as_ref())
        ),
    }
}

fn over_edges(metric: &MetricAnalysis, finding: &FactorFinding) -> String {
    let precision = precision(finding.interval.as_ref());
    match (finding.edges, finding.range) {
        (1, _) => "1 edge".into(),
        (edges, Some([low, high])) => {
            let range = number::range(low, high, precision, delta_unit(metric));
            format!("mean of {edges} edges ({range})")
        }
        (edges, None) => format!("mean of {edges} edges"),
    }
}

/// Why there is no verdict, in words.
pub(super) fn unjudged(verdict: Option<&Verdict>) -> String {
    match verdict {
        None => "the values do not vary over runs, or the metric is exploratory".into(),
        Some(Verdict::Unresolved { reason }) => reason.to_string(),
        Some(Verdict::UnitChanged { field, instead }) => {
            format!("its unit changes with {field}; read {} instead", instead.join(", "))
        }
        Some(Verdict::Refused { fields }) => {
            let names: Vec<_> = fields.iter().map(|field| field.name()).collect();
            format!("refused, because more than the planned field varies ({})", names.join(", "))
        }
        Some(Verdict::Incomplete { missing }) => format!("{} runs are missing", missing.len()),
        Some(other) => other.word().into(),
    }
}

/// The verdict of an edge with what belongs to it: the size not ruled out, the blocks that would resolve it.
pub fn edge_words(metric: &MetricAnalysis, edge: &EdgeFinding) -> String {
    let unit = delta_unit(metric);
    let precision = precision(edge.interval.as_ref());
    let mut words = match &edge.verdict {
        None if metric.did_not_vary => "did not vary".into(),
        None => "exploratory".into(),
        Some(Verdict::Established { smaller_than_margin: Some(_) }) => {
            "established, smaller than your margin".into()
        }
        Some(Verdict::Equivalent { margin }) => {
            format!("equivalent within \u{b1}{}", number::with_unit(number::compact(*margin), unit))
        }
        Some(Verdict::WithinNoise { up_to, more_blocks, more_minutes }) => {
            let limit = number::with_unit(precision.plain(up_to.abs()), unit);
            let more = more_work(*more_blocks, *more_minutes);
            format!("within noise; up to {limit} not ruled out{more}")
        }
        Some(Verdict::Established { .. }) => "established".into(),
        Some(other) => {
            let word = other.word();
            let why = unjudged(Some(other));
            if why == word { word.into() } else { format!("{word}: {why}") }
        }
    };
    for remark in &edge.remarks {
        words.push_str("; ");
        words.push_str(remark);
    }
    words
}

fn more_work(blocks: Option<u32>, minutes: Option<f64>) -> String {
    let Some(blocks) = blocks else { return String::new() };
    let minutes =
        minutes.map_or_else(String::new, |minutes| format!(" ({} minutes)", compact_minutes(minutes)));
    format!("; about {blocks} more blocks{minutes} would resolve it")
}

fn compact_minutes(minutes: f64) -> String {
    if minutes < 10.0 { Precision::of_half_width(1.0).plain(minutes) } else { format!("{minutes:.0}") }
}

/// The text with a capital first letter.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
