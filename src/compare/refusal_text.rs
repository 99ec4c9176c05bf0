//! A refusal as plain text.

use super::refusal::{Refusal, RefusalRow, TaskChange, TaskChanges};
use crate::condition::Origin;
use crate::fingerprint;
use std::fmt;

/// Longest value shown in a column.
const WIDEST: usize = 48;

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "refused: {}", self.headline)?;
        if let Some(planned) = self.planned {
            writeln!(f, "the plan meant to vary {planned} alone")?;
        }
        writeln!(f)?;
        table(f, &self.rows)?;
        if let Some(tasks) = &self.tasks {
            writeln!(f, "\n{}", tasks.summary)?;
            list_tasks(f, tasks)?;
        }
        if let Some(render) = &self.render {
            writeln!(f, "\nfirst prompt that differs: task {}", render.id)?;
            writeln!(f, "  before: {:?}\n  after:  {:?}", render.before, render.after)?;
        }
        if !self.remedies.is_empty() {
            writeln!(f, "\nto make the pair legal:")?;
            for remedy in &self.remedies {
                writeln!(f, "  {remedy}")?;
            }
        }
        Ok(())
    }
}

fn table(f: &mut fmt::Formatter<'_>, rows: &[RefusalRow]) -> fmt::Result {
    let head = ["field", "before", "after", "read or asked"].map(str::to_owned);
    let lines: Vec<[String; 4]> = std::iter::once(head).chain(rows.iter().map(line)).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let (field, before, after) = (width(0), width(1), width(2));
    for line in &lines {
        writeln!(f, "  {:field$}  {:before$}  {:after$}  {}", line[0], line[1], line[2], line[3])?;
    }
    Ok(())
}

fn line(row: &RefusalRow) -> [String; 4] {
    let name = match row.implied_by {
        Some(cause) => format!("  {} (follows from {cause})", row.field),
        None if row.unknown => format!("{} (unknown)", row.field),
        None => row.field.to_string(),
    };
    let origin = |origin: Origin| if origin == Origin::Read { "read" } else { "asked" };
    let origins = match (origin(row.before_origin), origin(row.after_origin)) {
        (one, other) if one == other => one.to_owned(),
        (one, other) => format!("{one} | {other}"),
    };
    [name, shorten(&row.before), shorten(&row.after), origins]
}

/// Fingerprints at their shown length, long texts cut in the middle of nothing that matters: the end.
fn shorten(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.len() == 64 && line.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return fingerprint::short(&line).to_owned();
    }
    if line.chars().count() <= WIDEST {
        return line;
    }
    let head: String = line.chars().take(WIDEST - 3).collect();
    format!("{head}...")
}

fn list_tasks(f: &mut fmt::Formatter<'_>, tasks: &TaskChanges) -> fmt::Result {
    for (sign, list) in [('+', &tasks.added), ('-', &tasks.removed), ('~', &tasks.changed)] {
        for change in list {
            writeln!(f, "  {sign} {}", told(change))?;
        }
    }
    Ok(())
}

fn told(change: &TaskChange) -> String {
    match &change.text {
        Some(text) => format!("{} (prompt {}): {:?}", change.id, change.prompt, text),
        None => format!("{} (prompt {})", change.id, change.prompt),
    }
}
