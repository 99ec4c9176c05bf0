//! `planrun compare A B`: two single records, a labelled delta or a refusal.

use super::pair_arguments::{PairArguments, answer};
use crate::compare::{DeltaUnit, PairComparison, PairDelta, compare_pair};
use crate::exit::Exit;
use std::fmt::Write as _;

/// Compares, and exits with [`Exit::Incomparable`] when the guard refuses.
pub(super) fn run(arguments: &PairArguments) -> Exit {
    let (before, after) = match arguments.load() {
        Ok(pair) => pair,
        Err(exit) => return exit,
    };
    match compare_pair(&before, &after, &arguments.assume) {
        Ok(comparison) => {
            answer(&format!("{} -> {}\n{}", before.id, after.id, text(&comparison)));
            Exit::Done
        }
        Err(refusal) => {
            let refusal = refusal.with_renders(&|prompt| arguments.render(prompt));
            answer(&format!("{} -> {}\n{refusal}", before.id, after.id));
            Exit::Incomparable
        }
    }
}

fn text(comparison: &PairComparison) -> String {
    let license = &comparison.license;
    let mut text = match &license.cause {
        None => "repeatability: no controlled field varies; differences are noise\n".to_owned(),
        Some(cause) => {
            let (before, after) = (cause.difference.before.shown(), cause.difference.after.shown());
            format!("varied: {} ({before} -> {after})\n", cause.difference.field)
        }
    };
    let names = |fields: &[crate::condition::Field]| {
        fields.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    if !license.implied().is_empty() {
        let _ = writeln!(text, "follows from it: {}", names(&license.implied()));
    }
    if !license.assumed.is_empty() {
        let _ = writeln!(text, "assumed equal, as you said: {}", names(&license.assumed));
    }
    for remark in &comparison.remarks {
        let _ = writeln!(text, "{remark}");
    }
    text.push('\n');
    for delta in &comparison.deltas {
        let _ = writeln!(text, "{}", line(delta));
    }
    text
}

fn line(delta: &PairDelta) -> String {
    let value = |value: Option<f64>| value.map_or_else(|| "-".into(), number);
    let change = match (delta.delta, &delta.reason) {
        (Some(change), _) => match delta.delta_unit {
            DeltaUnit::Percent => format!("{change:+.1} %"),
            DeltaUnit::Points => format!("{change:+.1} points"),
            DeltaUnit::Own => format!("{change:+.1} {}", delta.unit),
        },
        (None, Some(reason)) => reason.clone(),
        (None, None) => "no difference".into(),
    };
    let (before, after) = (value(delta.before), value(delta.after));
    format!("{:18} {before:>12} {after:>12} {:7} {change}", delta.metric, delta.unit)
}

/// Four significant digits.
fn number(value: f64) -> String {
    let digits = if value == 0.0 { 0 } else { 3 - value.abs().log10().floor() as i32 };
    format!("{value:.*}", digits.clamp(0, 9) as usize)
}
