//! `planrun explain A B`: what the guard sees, field by field, and the legal steps between two records.

use super::pair_arguments::{PairArguments, answer};
use crate::compare::{Explanation, FieldFinding, Step, explain};
use crate::exit::Exit;
use std::fmt::Write as _;

/// Longest value shown in a column.
const WIDEST: usize = 28;

/// Explains; a pair that could not be compared is no failure here.
pub(super) fn run(arguments: &PairArguments) -> Exit {
    let (before, after) = match arguments.load() {
        Ok(pair) => pair,
        Err(exit) => return exit,
    };
    let same_plan = before.plan.hash == after.plan.hash;
    let explanation = explain(&before, &after, &arguments.assume, same_plan);
    answer(&format!("{} -> {}\n\n{}", before.id, after.id, text(&explanation)));
    Exit::Done
}

fn text(explanation: &Explanation) -> String {
    let head = ["field", "asked", "found", "asked", "found", ""].map(str::to_owned);
    let rows = explanation.rows.iter().map(|row| {
        let [one, two, three, four] =
            [&row.before_asked, &row.before_found, &row.after_asked, &row.after_found]
                .map(|value| cell(value.as_ref()));
        [row.field.to_string(), one, two, three, four, finding(row.finding)]
    });
    let lines: Vec<[String; 6]> = std::iter::once(head).chain(rows).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        for (value, width) in line.iter().zip(&widths) {
            let _ = write!(text, "{value:width$}  ");
        }
        let _ = writeln!(text, "{}", line[5]);
    }
    text + &conclusion(explanation)
}

fn cell(value: Option<&String>) -> String {
    let Some(value) = value else { return "-".into() };
    let line: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().count() <= WIDEST {
        return line;
    }
    let hash = line.len() == 64 && line.bytes().all(|byte| byte.is_ascii_hexdigit());
    let kept = if hash { crate::fingerprint::SHOWN } else { WIDEST - 3 };
    let head: String = line.chars().take(kept).collect();
    if hash { head } else { format!("{head}...") }
}

fn finding(finding: FieldFinding) -> String {
    match finding {
        FieldFinding::Same => String::new(),
        FieldFinding::Varies => "VARIES".into(),
        FieldFinding::ImpliedBy(cause) => format!("follows from {cause}"),
        FieldFinding::Unknown => "UNKNOWN".into(),
        FieldFinding::Assumed => "assumed equal".into(),
    }
}

fn conclusion(explanation: &Explanation) -> String {
    let mut text = match explanation.causes.as_slice() {
        [] => "\nno controlled field varies: the records repeat one condition\n".to_owned(),
        [field] => format!("\none controlled field varies: {field}\n"),
        fields => {
            format!("\n{} controlled fields vary; legal steps from the first to the second:\n", fields.len())
        }
    };
    for (at, step) in explanation.steps.iter().enumerate() {
        let _ = writeln!(text, "  {}. {}", at + 1, step_words(step));
    }
    if !explanation.unknown.is_empty() {
        let names: Vec<&str> = explanation.unknown.iter().map(|field| field.name()).collect();
        let _ = writeln!(text, "unknown: {} (compare refuses unless you --assume them)", names.join(", "));
    }
    text
}

fn step_words(step: &Step) -> String {
    let mut words = format!("{}: {} -> {}", step.field, shorten(&step.before), shorten(&step.after));
    if !step.implied.is_empty() {
        let names: Vec<&str> = step.implied.iter().map(|field| field.name()).collect();
        let _ = write!(words, " (with {})", names.join(", "));
    }
    let target = if step.ends_at.is_empty() {
        "the second record".to_owned()
    } else {
        let changed: Vec<String> = step.ends_at.iter().map(|change| shorten(change)).collect();
        format!("a new run: as the first record, with {}", changed.join(", "))
    };
    let _ = write!(words, " = {target}");
    words
}

fn shorten(value: &str) -> String {
    if value.chars().count() <= 2 * WIDEST {
        return value.to_owned();
    }
    let head: String = value.chars().take(2 * WIDEST - 3).collect();
    format!("{head}...")
}
