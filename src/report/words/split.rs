//! The parallel edges of a step: into which cases they fall, and how many items changed along them.

use super::change::{delta_unit, precision};
use super::levels::with_levels;
use crate::compare::{EdgeFinding, FactorFinding, MetricAnalysis, SplitGroup, Verdict, WorkloadAnalysis};
use crate::condition::Field;
use crate::report::number;
use std::collections::BTreeMap;
use std::iter;

/// The parallel edges of a step.
pub(super) fn parallel<'a>(
    metric: &'a MetricAnalysis,
    finding: &'a FactorFinding,
) -> impl Iterator<Item = &'a EdgeFinding> {
    finding.parallel.iter().filter_map(|&place| metric.edges.get(place as usize))
}

/// The cases of a withheld effect: by the factor that splits it, or by what was found.
pub(super) fn parts(
    workload: &WorkloadAnalysis,
    metric: &MetricAnalysis,
    finding: &FactorFinding,
) -> Vec<String> {
    let Some(split) = &finding.split else { return by_word(metric, finding) };
    let part = |group: &SplitGroup| {
        let edges: Vec<_> =
            group.edges.iter().filter_map(|&place| metric.edges.get(place as usize)).collect();
        let inert = idle_limit(workload, &edges).map_or_else(String::new, |why| format!("; {why}"));
        format!("{}: {}{inert}", with_levels(&split.by, &group.levels), found(metric, &edges))
    };
    split.groups.iter().map(part).collect()
}

/// Without a factor to go by: established ones by their direction, then the others by their verdict.
fn by_word(metric: &MetricAnalysis, finding: &FactorFinding) -> Vec<String> {
    let mut cases: Vec<(Case, Vec<&EdgeFinding>)> = Vec::new();
    for edge in parallel(metric, finding) {
        match cases.iter_mut().find(|(case, _)| *case == case_of(edge)) {
            Some((_, edges)) => edges.push(edge),
            None => cases.push((case_of(edge), vec![edge])),
        }
    }
    let whole = finding.parallel.len();
    let part = |(_, edges): &(Case, Vec<&EdgeFinding>)| {
        format!("{} of {whole} pairs: {}", edges.len(), found(metric, edges))
    };
    cases.iter().map(part).collect()
}

/// An edge's verdict, and whether an established one is an increase.
type Case = (&'static str, bool);

fn case_of(edge: &EdgeFinding) -> Case {
    let established = matches!(edge.verdict, Some(Verdict::Established { .. }));
    (word_of(edge), established && edge.delta.is_some_and(|delta| delta > 0.0))
}

/// `+13.2 to +21.4 points (all 6 established)`.
fn found(metric: &MetricAnalysis, edges: &[&EdgeFinding]) -> String {
    format!("{} ({})", deltas(metric, edges), standings(metric, edges))
}

fn deltas(metric: &MetricAnalysis, edges: &[&EdgeFinding]) -> String {
    let unit = delta_unit(metric);
    let mut seen: Vec<f64> = edges.iter().filter_map(|edge| edge.delta).collect();
    seen.sort_by(f64::total_cmp);
    let bounds = edges.first().and_then(|edge| edge.interval.as_ref());
    let precision = precision(metric, bounds, seen.first().copied());
    let (Some(low), Some(high)) = (seen.first(), seen.last()) else { return "no difference".into() };
    match (precision.signed(*low), precision.signed(*high), seen.len()) {
        (low, high, _) if low == high => number::with_unit(low, unit),
        (low, high, 2) => number::with_unit(format!("{low} and {high}"), unit),
        _ => number::range(*low, *high, precision, unit),
    }
}

/// How the edges were judged: `all 6 established`, `3 of 4 established, 1 unresolved`.
fn standings(metric: &MetricAnalysis, edges: &[&EdgeFinding]) -> String {
    let opposed = edges.iter().any(|edge| case_of(edge) == ("established", true))
        && edges.iter().any(|edge| case_of(edge) == ("established", false));
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for case in edges.iter().map(|edge| case_of(edge)) {
        let word = match case {
            ("established", true) if opposed => "established higher",
            ("established", false) if opposed => "established lower",
            (word, _) => word,
        };
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| usize::MAX - count);
    let words = match (counts.as_slice(), edges.len()) {
        ([(word, _)], 1) => (*word).to_string(),
        ([(word, _)], 2) => format!("both {word}"),
        ([(word, _)], all) => format!("all {all} {word}"),
        ([(word, first), rest @ ..], all) => {
            let rest = rest.iter().map(|(word, count)| format!("{count} {word}"));
            let parts: Vec<String> = iter::once(format!("{first} of {all} {word}")).chain(rest).collect();
            parts.join(", ")
        }
        ([], _) => "no pair".into(),
    };
    words + &limits(metric, edges)
}

/// The margin of equivalent edges, and the largest difference that open ones do not rule out.
fn limits(metric: &MetricAnalysis, edges: &[&EdgeFinding]) -> String {
    let unit = delta_unit(metric);
    let margin = edges.iter().find_map(|edge| match edge.verdict {
        Some(Verdict::Equivalent { margin }) => Some(margin),
        _ => None,
    });
    let open = edges.iter().filter_map(|edge| match edge.verdict {
        Some(Verdict::WithinNoise { up_to, .. }) => Some((up_to.abs(), edge)),
        _ => None,
    });
    let open = open.max_by(|one, other| one.0.total_cmp(&other.0));
    let margin = margin.map_or_else(String::new, |margin| {
        format!(" within \u{b1}{}", number::with_unit(number::trimmed(margin), unit))
    });
    let open = open.map_or_else(String::new, |(up_to, edge)| {
        let precision = precision(metric, edge.interval.as_ref(), edge.delta);
        format!("; up to {} not ruled out", number::with_unit(precision.plain(up_to), unit))
    });
    margin + &open
}

fn word_of(edge: &EdgeFinding) -> &'static str {
    edge.verdict.as_ref().map_or("not judged", Verdict::word)
}

/// A limit of tokens that no reply reached cannot have acted.
fn idle_limit(workload: &WorkloadAnalysis, edges: &[&EdgeFinding]) -> Option<String> {
    let capped = workload.metrics.iter().find(|metric| metric.metric == "capped_share")?;
    let uncut = |cell: u32| {
        let value = capped.cells.iter().find(|value| value.cell == cell && !value.control);
        value.and_then(|value| value.count).is_some_and(|count| count.n > 0 && count.k == 0)
    };
    let limit = &edges.first().filter(|edge| edge.field == Field::MaxTokens)?.from;
    let idle = edges.iter().all(|edge| uncut(edge.before) && uncut(edge.after) && edge.from == *limit);
    idle.then(|| format!("no reply was cut off at {limit} tokens, so the limit could not act"))
}

/// `1 of 220 items in 2 of 4 pairs, none in the others`; `None` where changes are not counted.
pub(super) fn changed_words(metric: &MetricAnalysis, finding: &FactorFinding) -> Option<String> {
    let mut pairs: BTreeMap<u32, usize> = BTreeMap::new();
    for edge in parallel(metric, finding) {
        let [up, down] = edge.changed?;
        *pairs.entry(up + down).or_default() += 1;
    }
    let (n, all) = (metric.n, finding.parallel.len());
    let counts: Vec<(u32, usize)> = pairs.into_iter().rev().collect();
    match counts.as_slice() {
        [] => None,
        [(k, _)] if all == 1 => Some(format!("{k} of {n} items")),
        [(k, _)] => Some(format!("{k} of {n} items in each of {all} pairs")),
        [(k, some), (0, _)] => Some(format!("{k} of {n} items in {some} of {all} pairs, none in the others")),
        [(most, _), .., (least, _)] => Some(format!("{least} to {most} of {n} items in the {all} pairs")),
    }
}
