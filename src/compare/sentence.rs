//! Numbers and verdicts in one line.

use super::findings::{Bounds, CountOf, DeltaUnit, EdgeFinding, FactorFinding, InteractionFinding};
use super::spec::Spec;
use super::verdict::Verdict;
use std::fmt::Write as _;

/// `decode −4.1 % (−5.6 to −2.5; 98.3 % simultaneous)`.
fn measured(spec: &Spec, delta: Option<f64>, interval: Option<&Bounds>) -> String {
    let title = spec.title();
    let Some(delta) = delta else { return format!("{title}: no difference computed") };
    let digits = interval.map_or(1, |bounds| digits((bounds.high - bounds.low) / 2.0));
    let mut text = format!("{title} {}{}", signed(delta, digits), suffix(spec));
    if let Some(bounds) = interval {
        let kind = if bounds.simultaneous { "simultaneous" } else { "unadjusted" };
        let (low, high) = (end(bounds.low, digits), end(bounds.high, digits));
        let _ = write!(text, " ({low} to {high}; {} % {kind})", level(bounds.level));
    }
    text
}

/// The sentence of an edge.
pub(super) fn edge_sentence(spec: &Spec, edge: &EdgeFinding) -> String {
    let at = if edge.at.is_empty() { String::new() } else { format!(" at {}", edge.at) };
    let head = format!("{} \u{2192} {} ({}){at}", edge.from, edge.to, edge.field);
    let no_number = matches!(
        edge.verdict,
        Some(
            Verdict::Refused { .. }
                | Verdict::Incomplete { .. }
                | Verdict::Repeatability
                | Verdict::UnitChanged { .. }
        )
    );
    let mut parts = Vec::new();
    if !no_number {
        parts.push(measured(spec, edge.delta, edge.interval.as_ref()));
        parts.extend(edge.adjusted_p.map(|p| format!("adj. p {}", p_value(p))));
        parts.extend(replicates(spec, edge));
        parts.extend(edge.df.map(|df| format!("df {df:.0}")));
        parts.extend(edge.floor.map(|floor| floor_words(spec, floor)));
        parts.extend(edge.clipped.map(clipped_words));
    }
    let verdict = edge.verdict.as_ref().map(|verdict| verdict_words(spec, verdict));
    let tail = verdict.unwrap_or_else(|| without_verdict(edge.interval.as_ref()));
    let body = if parts.is_empty() { spec.title() } else { parts.join(", ") };
    let mut sentence = format!("{head}: {body}: {tail}");
    for remark in &edge.remarks {
        let _ = write!(sentence, " ({remark})");
    }
    sentence
}

/// The end of a sentence without a verdict: an exploratory interval, or nothing that could be tested.
fn without_verdict(interval: Option<&Bounds>) -> String {
    if interval.is_some() { "exploratory, no verdict".into() } else { "no interval, no verdict".into() }
}

fn replicates(spec: &Spec, edge: &EdgeFinding) -> Vec<String> {
    let noun = if spec.replication == super::spec::Unit::Item { "item" } else { "block" };
    let mut parts = vec![format!("{} {noun}{}", edge.n, if edge.n == 1 { "" } else { "s" })];
    if let Some([gained, lost]) = edge.changed {
        parts.push(format!("{gained} gained, {lost} lost"));
    }
    parts
}

fn floor_words(spec: &Spec, floor: f64) -> String {
    let name = if spec.replication == super::spec::Unit::Item { "resolution" } else { "floor" };
    format!("{name} \u{b1}{}{}", plain(floor), suffix(spec))
}

fn clipped_words(clipped: CountOf) -> String {
    format!("{} of {} runs clipped", clipped.k, clipped.n)
}

/// The sentence of a factor's pooled effect.
pub(super) fn factor_sentence(spec: &Spec, finding: &FactorFinding) -> String {
    let head = format!("{}: {} \u{2192} {}", finding.factor, finding.from, finding.to);
    let over = if finding.edges == 1 { "1 edge".to_owned() } else { format!("{} edges", finding.edges) };
    let unit = suffix(spec);
    let range = finding.range.map(|[low, high]| {
        let digits = digits((high - low) / 2.0);
        format!("edges from {} to {}{unit}", signed(low, digits), signed(high, digits))
    });
    let body = if finding.withheld {
        format!("{} edges disagree over {over}", spec.title())
    } else {
        format!("{} over {over}", measured(spec, finding.delta, finding.interval.as_ref()))
    };
    let mut parts = vec![body];
    parts.extend(range.filter(|_| finding.edges > 1));
    parts.extend(finding.tau.filter(|_| finding.edges > 1).map(|tau| format!("tau {}{unit}", plain(tau))));
    let verdict = finding.verdict.as_ref().map(|verdict| verdict_words(spec, verdict));
    format!(
        "{head}: {}: {}",
        parts.join(", "),
        verdict.unwrap_or_else(|| without_verdict(finding.interval.as_ref()))
    )
}

/// The sentence of an interaction.
pub(super) fn interaction_sentence(spec: &Spec, finding: &InteractionFinding) -> String {
    let [first, first_from, first_to] = &finding.first;
    let [second, second_from, second_to] = &finding.second;
    let head =
        format!("{first} ({first_from} \u{2192} {first_to}) x {second} ({second_from} \u{2192} {second_to})");
    let over = if finding.faces == 1 { String::new() } else { format!(" over {} faces", finding.faces) };
    let verdict = finding.verdict.as_ref().map(|verdict| verdict_words(spec, verdict));
    let body = measured(spec, finding.delta, finding.interval.as_ref());
    format!("{head}: {body}{over}: {}", verdict.unwrap_or_else(|| without_verdict(finding.interval.as_ref())))
}

/// A verdict in words, with what it must carry.
pub(super) fn verdict_words(spec: &Spec, verdict: &Verdict) -> String {
    let unit = suffix(spec);
    match verdict {
        Verdict::Established { smaller_than_margin: Some(_) } => {
            "established, smaller than your margin".into()
        }
        Verdict::Equivalent { margin } => format!("equivalent within \u{b1}{}{unit}", plain(*margin)),
        Verdict::WithinNoise { up_to, .. } => {
            let more = verdict.outlook().map_or_else(String::new, |more| format!("; {more}"));
            format!("{}; up to {}{unit} not ruled out{more}", verdict.word(), plain(up_to.abs()))
        }
        Verdict::Unresolved { reason } => format!("unresolved: {reason}"),
        Verdict::UnitChanged { field, instead } => {
            format!("unit changed with {field}: read {} instead", instead.join(" and "))
        }
        Verdict::Refused { fields } => format!("refused ({})", super::refusal::names(fields)),
        Verdict::Incomplete { missing } => format!("incomplete (missing: {})", missing.join(", ")),
        Verdict::Established { .. } | Verdict::Repeatability => verdict.word().into(),
    }
}

fn suffix(spec: &Spec) -> String {
    match spec.scale.unit() {
        DeltaUnit::Percent => " %".into(),
        DeltaUnit::Points => " points".into(),
        DeltaUnit::Own => format!(" {}", spec.unit),
    }
}

/// Digits after the point that a half-width carries.
fn digits(half_width: f64) -> usize {
    match half_width.abs() {
        half if half >= 1.0 || half == 0.0 => 1,
        half if half >= 0.1 => 2,
        _ => 3,
    }
}

pub(super) fn signed(value: f64, digits: usize) -> String {
    let text = format!("{value:+.digits$}");
    // "-0.0" claims a direction that the number does not have.
    if text.trim_start_matches(['+', '-']).chars().all(|c| c == '0' || c == '.') {
        text.trim_start_matches(['+', '-']).to_owned()
    } else {
        text.replace('-', "\u{2212}")
    }
}

/// An end of an interval: with more digits where fewer would show it at zero.
fn end(value: f64, digits: usize) -> String {
    let shows = |digits: &usize| signed(value, *digits).starts_with(['+', '\u{2212}']);
    signed(value, (digits..digits + 3).find(shows).unwrap_or(digits))
}

pub(super) fn plain(value: f64) -> String {
    let digits = digits(value);
    format!("{value:.digits$}")
}

fn p_value(p: f64) -> String {
    match p {
        p if p < 0.0001 => "< 0.0001".into(),
        p if p < 0.001 => format!("{p:.4}"),
        p if p < 0.1 => format!("{p:.3}"),
        p => format!("{p:.2}"),
    }
}

fn level(level: f64) -> String {
    let rounded = (level * 10.0).round() / 10.0;
    if rounded.fract() == 0.0 { format!("{rounded:.0}") } else { format!("{rounded:.1}") }
}
