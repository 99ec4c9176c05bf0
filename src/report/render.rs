//! The view becomes text: templates lay it out, and everything that came from outside is escaped on the way.

use super::escape::{command_line, markdown_text};
use super::view::{Figure, Frame, View};
use crate::compare::Analysis;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, Output, State};
use serde_json::json;
use std::collections::BTreeMap;
use thiserror::Error;

/// Version of `report.json`.
const FORMAT: u32 = 1;

/// A report that could not be written.
#[derive(Debug, Error)]
pub enum RenderError {
    /// A template and the view do not fit together: a fault of planrun.
    #[error("the report's template failed: {0}; this is a fault of planrun, please report it")]
    Template(#[from] minijinja::Error),
    /// The numbers could not be written as JSON.
    #[error("the report's numbers could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// A report in all its forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// For GitHub and editors; its pictures are in `figures`.
    pub markdown: String,
    /// One file, complete in itself.
    pub html: String,
    /// Every number; not measured is null.
    pub json: String,
    /// `figures/NAME.svg` for the markdown.
    pub figures: Vec<Figure>,
}

/// Renders a judged plan. Equal input gives equal bytes.
pub fn render(frame: &Frame, analysis: &Analysis) -> Result<Rendered, RenderError> {
    let view = View::of(frame, analysis);
    let environment = environment()?;
    let mut json = serde_json::to_string_pretty(&json!({
        "format": FORMAT, "plan": frame, "summary": view.summary, "analysis": analysis,
    }))?;
    json.push('\n');
    Ok(Rendered {
        markdown: environment.get_template("report.md.j2")?.render(Value::from(Serde(&view)))?,
        html: environment.get_template("report.html.j2")?.render(html_context(&view))?,
        json,
        figures: view.sections.into_iter().flat_map(|section| section.figures).collect(),
    })
}

/// The view, and the pictures by file name (they are not part of the view's JSON).
fn html_context(view: &View) -> Value {
    let figures = view.sections.iter().flat_map(|section| &section.figures);
    let pictures: BTreeMap<_, _> = figures.map(|figure| (figure.file.clone(), figure.svg.clone())).collect();
    minijinja::context! { pictures => Serde(pictures), ..Value::from(Serde(view)) }
}

fn environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::new();
    let syntax =
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?;
    environment.set_syntax(syntax);
    environment.set_auto_escape_callback(|name| match name {
        name if name.contains(".html") => AutoEscape::Html,
        _ => AutoEscape::Custom(MARKDOWN.into()),
    });
    environment.set_formatter(format_value);
    environment.add_filter("command", |line: String| Value::from_safe_string(command_line(&line)));
    environment.add_template("report.md.j2", include_str!("templates/report.md.j2"))?;
    environment.add_template("report.html.j2", include_str!("templates/report.html.j2"))?;
    environment.add_template("table.html.j2", include_str!("templates/table.html.j2"))?;
    environment.add_template("report.css.html", include_str!("templates/report.css"))?;
    Ok(environment)
}

const MARKDOWN: &str = "markdown";

/// Escapes by the template's kind; only what a template itself marked as safe passes untouched.
fn format_value(output: &mut Output, state: &mut State, value: &Value) -> Result<(), minijinja::Error> {
    if !matches!(state.auto_escape(), AutoEscape::Custom(kind) if kind == MARKDOWN) {
        return minijinja::escape_formatter(output, state, value);
    }
    let text = value.to_string();
    let safe = if value.is_safe() { text } else { markdown_text(&text) };
    Ok(output.write_str(&safe)?)
}
