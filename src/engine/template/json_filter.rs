//! The `tojson` filter: `json.dumps` with the arguments that `transformers` gives it.

use super::generator::is_generator;
use super::python_json::{Layout, dumps};
use minijinja::value::{Kwargs, Value, ValueKind};
use minijinja::{Error, ErrorKind};

/// Deepest nesting that is written; the deepest of public tool descriptions has 12 levels.
const MOST_LEVELS: usize = 100;
/// Widest indent.
const MOST_INDENT: usize = 16;

/// `tojson(ensure_ascii=False, indent=None, separators=None, sort_keys=False)`.
pub(super) fn to_json(value: &Value, ensure_ascii: Option<bool>, options: &Kwargs) -> Result<String, Error> {
    let named = options.get::<Option<bool>>("ensure_ascii")?;
    let layout = Layout {
        indent: options.get::<Option<usize>>("indent")?,
        ensure_ascii: ensure_ascii.or(named).unwrap_or(false),
        separators: options.get::<Option<Vec<String>>>("separators")?.and_then(pair),
        sort_keys: options.get::<Option<bool>>("sort_keys")?.unwrap_or(false),
    };
    options.assert_all_used()?;
    if layout.indent.is_some_and(|indent| indent > MOST_INDENT) {
        return Err(refused(&format!("an indent of more than {MOST_INDENT}")));
    }
    check(value, 0)?;
    let value = serde_json::to_value(value)
        .map_err(|error| Error::new(ErrorKind::BadSerialization, "tojson").with_source(error))?;
    Ok(dumps(&value, &layout))
}

fn pair(texts: Vec<String>) -> Option<(String, String)> {
    let [first, second] = <[String; 2]>::try_from(texts).ok()?;
    Some((first, second))
}

fn refused(what: &str) -> Error {
    Error::new(ErrorKind::BadSerialization, format!("tojson: {what} is not written as JSON"))
}

/// Refuses what Python's `json` refuses, wherever it is nested.
fn check(value: &Value, level: usize) -> Result<(), Error> {
    if level > MOST_LEVELS {
        return Err(refused(&format!("a value of more than {MOST_LEVELS} levels")));
    }
    match value.kind() {
        ValueKind::Undefined => Err(refused("an undefined value")),
        ValueKind::Iterable if is_generator(value) => Err(refused("a generator")),
        ValueKind::Seq | ValueKind::Iterable => {
            value.try_iter()?.try_for_each(|item| check(&item, level + 1))
        }
        ValueKind::Map => value.try_iter()?.try_for_each(|key| check(&value.get_item(&key)?, level + 1)),
        ValueKind::Plain => Err(refused("a function or another object")),
        _ => Ok(()),
    }
}
