//! The verdict of one edge in words.

use super::change::{delta_unit, precision};
use crate::compare::{EdgeFinding, MetricAnalysis, Verdict};
use crate::report::number;

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
        Some(Verdict::Incomplete { missing }) if missing.len() == 1 => "1 run is missing".into(),
        Some(Verdict::Incomplete { missing }) => format!("{} runs are missing", missing.len()),
        Some(other) => other.word().into(),
    }
}

/// The verdict of an edge with what belongs to it: the size not ruled out, the blocks that might decide it, remarks.
pub(in crate::report) fn edge_words(metric: &MetricAnalysis, edge: &EdgeFinding) -> String {
    let mut words = vec![verdict_words(metric, edge)];
    words.extend(edge.verdict.as_ref().and_then(Verdict::outlook));
    words.extend(edge.remarks.iter().cloned());
    words.join("; ")
}

fn verdict_words(metric: &MetricAnalysis, edge: &EdgeFinding) -> String {
    let unit = delta_unit(metric);
    match &edge.verdict {
        None if metric.did_not_vary => "did not vary".into(),
        None => "exploratory".into(),
        Some(Verdict::Established { smaller_than_margin: Some(_) }) => {
            "established, smaller than your margin".into()
        }
        Some(Verdict::Equivalent { margin }) => {
            format!("equivalent within \u{b1}{}", number::with_unit(number::trimmed(*margin), unit))
        }
        Some(verdict @ Verdict::WithinNoise { up_to, .. }) => {
            let precision = precision(metric, edge.interval.as_ref(), edge.delta);
            let limit = number::with_unit(precision.plain(up_to.abs()), unit);
            format!("{}; up to {limit} not ruled out", verdict.word())
        }
        Some(Verdict::Established { .. }) => "established".into(),
        Some(other) => {
            let (word, why) = (other.word(), unjudged(Some(other)));
            if why == word { word.into() } else { format!("{word}: {why}") }
        }
    }
}
