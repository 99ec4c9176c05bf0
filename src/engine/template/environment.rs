//! What a template finds when it is rendered, and how much it may do.

use super::json_filter::to_json;
use super::source::Prepared;
use super::{generator, markup};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Value};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State};
use minijinja_contrib::pycompat::unknown_method_callback;
use std::collections::BTreeMap;
use std::io;

/// Steps a template may take; 64 bytes that it makes cost one more. The longest of public families need some hundredths of
/// it, and its memory stays below 26 MB.
const FUEL: u64 = 400_000;
/// Stack of the thread that renders: room for lists in lists, one for each step, to be dropped. Only what is used of it
/// takes memory.
const STACK: usize = 512 << 20;
/// Calls inside of calls.
const DEPTH: usize = 100;
/// Largest prompt.
const MOST_BYTES: usize = 8 << 20;
const NAME: &str = "chat_template";

/// Compiles a template with the variables that it may mention.
pub(super) fn compile(
    prepared: Prepared,
    variables: BTreeMap<String, String>,
) -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_unknown_method_callback(python_method);
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(DEPTH);
    environment.set_debug(false);
    environment.add_filter("tojson", |value: &Value, ascii: Option<bool>, options: Kwargs| {
        to_json(value, ascii, &options)
    });
    environment.add_function("raise_exception", raise_exception);
    generator::install(&mut environment);
    if prepared.joins_markup {
        markup::install(&mut environment);
    }
    for (name, token) in variables {
        environment.add_global(name, token);
    }
    environment.add_template_owned(NAME, prepared.text)?;
    Ok(environment)
}

/// Renders the one template of an environment, on a stack of its own; the error is in words.
pub(super) fn render(environment: &Environment<'_>, context: Value) -> Result<String, String> {
    let rendering = || write_prompt(environment, context).map_err(|error| describe(&error));
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, rendering);
        let thread = thread.map_err(|error| format!("no thread to render in: {error}"))?;
        thread.join().unwrap_or_else(|_| Err("rendering it broke off".to_owned()))
    })
}

fn write_prompt(environment: &Environment<'_>, context: Value) -> Result<String, Error> {
    let mut prompt = Bounded(Vec::new());
    environment.get_template(NAME)?.render_captured_to(context, &mut prompt)?;
    String::from_utf8(prompt.0).map_err(|error| Error::new(ErrorKind::WriteFailure, error.to_string()))
}

/// An error in words, with the template's line.
pub(super) fn describe(error: &Error) -> String {
    let text = match error.kind() {
        ErrorKind::OutOfFuel => format!("it takes more than {FUEL} steps, or makes too much text"),
        ErrorKind::WriteFailure => format!("its prompt is longer than {} MiB", MOST_BYTES >> 20),
        _ => error.detail().map_or_else(|| error.to_string(), str::to_owned),
    };
    match error.line() {
        Some(line) => format!("{text} (line {line} of the template)"),
        None => text,
    }
}

/// Python's methods. `str.format` makes as wide a text as its string asks for before anybody counts it.
fn python_method(
    state: &mut State<'_, '_>,
    value: &Value,
    method: &str,
    arguments: &[Value],
) -> Result<Value, Error> {
    if method == "format" && value.as_str().is_some_and(asks_for_width) {
        return Err(Error::new(ErrorKind::InvalidOperation, "format: a width of more than 4 digits"));
    }
    unknown_method_callback(state, value, method, arguments)
}

/// True if a replacement field holds a number of more than 4 digits.
fn asks_for_width(format: &str) -> bool {
    let fields = format.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let mut numbers = fields.flat_map(|field| field.split(|character: char| !character.is_ascii_digit()));
    numbers.any(|number| number.len() > 4)
}

fn raise_exception(message: &str) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, format!("the template refuses: {message}")))
}

/// A writer that stops at the largest prompt.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_BYTES {
            return Err(io::Error::other("the prompt is too long"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
