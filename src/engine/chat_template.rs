//! The model's own chat template, rendered as `transformers`' `apply_chat_template` renders it.

use super::python_json;
use crate::fingerprint;
use crate::generation::Message;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Serde, Value};
use minijinja::{AutoEscape, Environment, Error, ErrorKind};
use minijinja_contrib::pycompat::unknown_method_callback;
use serde::Serialize;
use std::collections::BTreeMap;
use time::OffsetDateTime;

/// Steps a template may take; the longest of public families need some hundredths of it.
const FUEL: u64 = 2_000_000;
const NAME: &str = "chat_template";

/// A compiled chat template with the special tokens that it may mention.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    fingerprint: String,
    thinking_switch: bool,
}

/// What the engine renders a template from; any serializable value with these names will do.
#[derive(Debug, Serialize)]
struct ChatContext<'a> {
    messages: &'a [Message],
    add_generation_prompt: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    enable_thinking: Option<bool>,
}

impl ChatTemplate {
    /// Compiles a template; the error names the line. `special_tokens` are variables such as `bos_token`.
    pub fn compile(source: &str, special_tokens: BTreeMap<String, String>) -> Result<Self, String> {
        let mut environment = environment().map_err(|error| describe(&error))?;
        for (name, token) in special_tokens {
            environment.add_global(name, token);
        }
        environment.add_template_owned(NAME, without_generation_tags(source)).map_err(|e| describe(&e))?;
        let mut template = Self {
            environment,
            fingerprint: fingerprint::of_bytes(source.as_bytes()),
            thinking_switch: false,
        };
        template.thinking_switch = source.contains("enable_thinking") && template.obeys_switch();
        Ok(template)
    }

    /// The same template on a day that stands still.
    #[must_use]
    pub fn at(mut self, now: OffsetDateTime) -> Self {
        self.environment.add_function("strftime_now", move |format: &str| strftime(now, format));
        self
    }

    /// SHA-256 of the template's text.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// True if `enable_thinking` changes what is rendered.
    pub fn has_thinking_switch(&self) -> bool {
        self.thinking_switch
    }

    /// Renders a conversation that the model is to go on with. `enable_thinking` is handed over only when it is set:
    /// an undefined switch is a third value to a template.
    pub fn render_turn(&self, messages: &[Message], thinking: Option<bool>) -> Result<String, String> {
        self.render(&ChatContext { messages, add_generation_prompt: true, enable_thinking: thinking })
    }

    /// Renders any context: `messages`, `add_generation_prompt`, `tools`, ...
    pub fn render<T: Serialize>(&self, context: &T) -> Result<String, String> {
        let render = || self.environment.get_template(NAME)?.render(Serde(context));
        render().map_err(|error| describe(&error))
    }

    /// Renders a probe with the switch on and off. A template that renders neither is taken at its word.
    fn obeys_switch(&self) -> bool {
        let probe = [Message { role: crate::generation::Role::User, content: "Hello".to_owned() }];
        let rendered = |on| self.render_turn(&probe, Some(on));
        match (rendered(true), rendered(false)) {
            (Ok(on), Ok(off)) => on != off,
            _ => true,
        }
    }
}

fn environment() -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_unknown_method_callback(unknown_method_callback);
    environment.set_fuel(Some(FUEL));
    environment.add_filter("tojson", |value: &Value, options: Kwargs| to_json(value, &options));
    environment.add_function("raise_exception", raise_exception);
    environment.add_function("strftime_now", |format: &str| strftime(OffsetDateTime::now_utc(), format));
    Ok(environment)
}

fn raise_exception(message: &str) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, format!("the template refuses: {message}")))
}

/// `json.dumps(value, ensure_ascii=False)` with the keyword arguments that templates use.
fn to_json(value: &Value, options: &Kwargs) -> Result<String, Error> {
    let layout = python_json::Layout {
        indent: options.get::<Option<usize>>("indent")?,
        ensure_ascii: options.get::<Option<bool>>("ensure_ascii")?.unwrap_or(false),
        separators: options.get::<Option<Vec<String>>>("separators")?.and_then(pair),
        sort_keys: options.get::<Option<bool>>("sort_keys")?.unwrap_or(false),
    };
    options.assert_all_used()?;
    let value = serde_json::to_value(value)
        .map_err(|error| Error::new(ErrorKind::BadSerialization, "tojson").with_source(error))?;
    Ok(python_json::dumps(&value, &layout))
}

fn pair(texts: Vec<String>) -> Option<(String, String)> {
    let [first, second] = <[String; 2]>::try_from(texts).ok()?;
    Some((first, second))
}

/// A date and time (UTC) in the given `strftime` format. A rendered date changes the prompt fingerprint from one day to
/// the next, and the comparison says so.
fn strftime(now: OffsetDateTime, format: &str) -> Result<String, Error> {
    let bad = |problem: String| Error::new(ErrorKind::InvalidOperation, format!("strftime_now: {problem}"));
    let items = time::format_description::parse_strftime_owned(format).map_err(|e| bad(e.to_string()))?;
    now.format(&items).map_err(|e| bad(e.to_string()))
}

/// Drops `{% generation %}` and `{% endgeneration %}`, which only mark the assistant's part for training.
fn without_generation_tags(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(start) = rest.find("{%") {
        let Some(length) = rest[start..].find("%}") else { break };
        let tag = &rest[start + 2..start + length];
        let marks = matches!(tag.trim_matches(['-', '+', ' ', '\n']), "generation" | "endgeneration");
        let end = start + length + 2;
        out.push_str(&rest[..if marks { start } else { end }]);
        if marks {
            // A comment trims the white space around it exactly as the tag did.
            let (left, right) = (tag.starts_with('-'), tag.ends_with('-'));
            out.push_str(if left { "{%- if true %}" } else { "{% if true %}" });
            out.push_str(if right { "{% endif -%}" } else { "{% endif %}" });
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

fn describe(error: &Error) -> String {
    let text = error.detail().map_or_else(|| error.to_string(), str::to_owned);
    match error.line() {
        Some(line) => format!("{text} (line {line} of the template)"),
        None => text,
    }
}
