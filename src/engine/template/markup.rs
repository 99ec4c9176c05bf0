//! `"..."|safe + text` as Jinja2 computes it: the left side is markup, and text that is joined to markup is escaped.
//! (`~` joins plain texts there, and escapes nothing.)
//!
//! Strings here cannot carry such a type through an addition, so the filter puts two noncharacters around its text, and
//! when a marked string is printed, everything outside of the marks is escaped and the marks are dropped.

use minijinja::value::Value;
use minijinja::{Environment, Error, Output, State, escape_formatter};

/// The filter that a joined `safe` is renamed to.
const FILTER: &str = "joined_markup";
const OPEN: char = '\u{FDD0}';
const CLOSE: char = '\u{FDD1}';

/// Renames every `|safe` that is followed by `+`; `None` if there is none.
pub(super) fn rename_joined_filters(code: &str) -> Option<String> {
    let mut renamed = String::new();
    let mut copied = 0;
    for (at, word) in code.match_indices("safe") {
        let piped = code[..at].trim_end().ends_with('|');
        let joined = code[at + word.len()..].trim_start_matches([' ', '\n', ')']).starts_with('+');
        if piped && joined {
            renamed.push_str(&code[copied..at]);
            renamed.push_str(FILTER);
            copied = at + word.len();
        }
    }
    (copied > 0).then(|| renamed + &code[copied..])
}

/// Adds the filter and the way of printing to an environment whose template needs them.
pub(super) fn install(environment: &mut Environment<'_>) {
    environment.add_filter(FILTER, |text: String| format!("{OPEN}{}{CLOSE}", resolve(&text)));
    environment.set_formatter(print);
}

/// True if a text holds the marks, and so cannot be told from markup.
pub(super) fn is_marked(text: &str) -> bool {
    text.contains([OPEN, CLOSE])
}

fn print(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.as_str().filter(|text| is_marked(text)) {
        Some(text) => Ok(out.write_str(&resolve(text))?),
        None => escape_formatter(out, state, value),
    }
}

/// Escapes what is outside of the marks, as markupsafe does, and drops the marks.
fn resolve(text: &str) -> String {
    if !is_marked(text) {
        return text.to_owned();
    }
    let mut resolved = String::with_capacity(text.len());
    let mut inside = false;
    for character in text.chars() {
        match character {
            OPEN => inside = true,
            CLOSE => inside = false,
            '&' if !inside => resolved.push_str("&amp;"),
            '<' if !inside => resolved.push_str("&lt;"),
            '>' if !inside => resolved.push_str("&gt;"),
            '\'' if !inside => resolved.push_str("&#39;"),
            '"' if !inside => resolved.push_str("&#34;"),
            other => resolved.push(other),
        }
    }
    resolved
}
