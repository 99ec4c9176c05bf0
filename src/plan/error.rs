//! What is wrong with a plan: every error with its place and its remedy, all of them at once.

use std::fmt;
use std::path::PathBuf;

/// Where an error is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In the plan's text.
    Text {
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// Characters to underline.
        width: usize,
        /// The line's text.
        text: String,
    },
    /// In an override given on the command line.
    Override(String),
    /// In the plan as a whole.
    Whole,
}

/// One thing that is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlanError {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

/// Stands for what is not shown.
const NOT_SHOWN: &str = "[not shown]";

impl PlanError {
    /// Without what the plan's line, or the override, says after its key: it may be a secret.
    pub(super) fn hide_values(&mut self) {
        let cut = |text: &str| match text.split_once('=') {
            Some((key, _)) => format!("{key}= {NOT_SHOWN}"),
            None => NOT_SHOWN.to_owned(),
        };
        match &mut self.place {
            Place::Text { width, text, .. } => {
                *text = cut(text);
                *width = (*width).min(NOT_SHOWN.len());
            }
            Place::Override(text) => *text = cut(text),
            Place::Whole => {}
        }
    }
}

impl Place {
    /// True if the line, or the override, that is shown has this word in it.
    fn names(&self, key: &str) -> bool {
        match self {
            Self::Text { text, .. } | Self::Override(text) => text.contains(key),
            Self::Whole => false,
        }
    }
}

/// Everything that is wrong with a plan, in the order of its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct PlanErrors {
    /// The plan file.
    pub path: PathBuf,
    /// At least one.
    pub errors: Vec<PlanError>,
}

impl PlanErrors {
    /// Puts errors in the order of the text and says none twice.
    pub(super) fn new(path: PathBuf, mut errors: Vec<PlanError>) -> Self {
        for error in errors.iter_mut().filter(|error| error.place.names("api_key")) {
            error.hide_values();
        }
        errors.sort();
        errors.dedup();
        Self { path, errors }
    }
}

impl fmt::Display for PlanErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for error in &self.errors {
            write_error(f, &self.path.display().to_string(), error)?;
        }
        let count = self.errors.len();
        write!(f, "{count} error{} in {}", if count == 1 { "" } else { "s" }, self.path.display())
    }
}

fn write_error(f: &mut fmt::Formatter<'_>, path: &str, error: &PlanError) -> fmt::Result {
    let PlanError { place, problem, remedy } = error;
    match place {
        Place::Text { line, column, width, text } => {
            writeln!(f, "{path}:{line}:{column}: {problem}")?;
            let margin = line.to_string();
            writeln!(f, "  {margin} | {text}")?;
            let pad: String = text.chars().take(column - 1).map(blank).collect();
            writeln!(f, "  {} | {pad}{}", " ".repeat(margin.len()), "^".repeat(*width))?;
        }
        Place::Override(text) => writeln!(f, "--set {text}: {problem}")?,
        Place::Whole => writeln!(f, "{path}: {problem}")?,
    }
    writeln!(f, "  = {remedy}\n")
}

/// Keeps tabs, so that the caret stands under its text.
fn blank(character: char) -> char {
    if character == '\t' { '\t' } else { ' ' }
}

/// The known name nearest to what was written, if it is near enough to be meant.
pub(super) fn nearest<'a, I>(written: &str, known: I) -> Option<&'a str>
where
    I: IntoIterator<Item = &'a str>,
{
    let scored = known.into_iter().map(|name| (strsim::damerau_levenshtein(written, name), name));
    let (distance, name) = scored.min()?;
    let limit = (written.chars().count().max(name.chars().count()) / 3).max(2);
    (distance <= limit).then_some(name)
}

/// `` did you mean `NAME`? `` where one is near, else the list of what there is.
pub(super) fn suggest(written: &str, known: &[&str], what: &str) -> String {
    match nearest(written, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if known.is_empty() => format!("there is no {what} here"),
        None => format!("known {what}: {}", known.join(", ")),
    }
}
