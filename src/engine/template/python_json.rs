//! JSON text as Python's `json.dumps` writes it: chat templates were written, and models trained, with its spaces.

use serde_json::Value;
use std::fmt::Write as _;

/// Arguments of `json.dumps`.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// Spaces per level; `None` puts everything on one line.
    pub(super) indent: Option<usize>,
    /// Escapes everything outside ASCII.
    pub(super) ensure_ascii: bool,
    /// Text between items and between key and value.
    pub(super) separators: Option<(String, String)>,
    /// Sorts the keys of objects.
    pub(super) sort_keys: bool,
}

/// Writes a value.
pub(super) fn dumps(value: &Value, layout: &Layout) -> String {
    let mut out = String::new();
    let item = if layout.indent.is_some() { "," } else { ", " };
    let (item, pair) = layout.separators.as_ref().map_or((item, ": "), |(item, pair)| (item, pair));
    Writer { layout, item, pair, out: &mut out }.value(value, 0);
    out
}

struct Writer<'a> {
    layout: &'a Layout,
    item: &'a str,
    pair: &'a str,
    out: &'a mut String,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, depth: usize) {
        match value {
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                self.sequence(['[', ']'], items.iter(), depth, |writer, item| writer.value(item, depth + 1));
            }
            Value::Object(map) => {
                let mut entries: Vec<_> = map.iter().collect();
                if self.layout.sort_keys {
                    entries.sort_by_key(|(key, _)| *key);
                }
                self.sequence(['{', '}'], entries.into_iter(), depth, |writer, (key, inner)| {
                    writer.string(key);
                    writer.out.push_str(writer.pair);
                    writer.value(inner, depth + 1);
                });
            }
            Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
                Some(float) => self.out.push_str(&python_float(float)),
                None => self.out.push_str(&number.to_string()),
            },
            plain => self.out.push_str(&plain.to_string()),
        }
    }

    fn sequence<T>(
        &mut self,
        [open, close]: [char; 2],
        items: impl ExactSizeIterator<Item = T>,
        depth: usize,
        mut write: impl FnMut(&mut Self, T),
    ) {
        let empty = items.len() == 0;
        self.out.push(open);
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.out.push_str(self.item);
            }
            self.new_line(depth + 1);
            write(self, item);
        }
        if !empty {
            self.new_line(depth);
        }
        self.out.push(close);
    }

    fn new_line(&mut self, depth: usize) {
        if let Some(indent) = self.layout.indent {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n(' ', indent * depth));
        }
    }

    fn string(&mut self, text: &str) {
        if !self.layout.ensure_ascii {
            self.out.push_str(&Value::from(text).to_string());
            return;
        }
        for character in Value::from(text).to_string().chars() {
            if character.is_ascii() {
                self.out.push(character);
            } else {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(self.out, "\\u{unit:04x}");
                }
            }
        }
    }
}

/// `repr(float)`: the shortest digits that read back the same, with an exponent below 1e-4 and from 1e16 on.
fn python_float(float: f64) -> String {
    let shortest = format!("{float:e}");
    let Some((digits, exponent)) = shortest.split_once('e') else { return shortest };
    match exponent.parse::<i32>() {
        Ok(small) if (-4..16).contains(&small) => {
            let plain = float.to_string();
            if plain.contains('.') { plain } else { plain + ".0" }
        }
        Ok(exponent) => format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs()),
        Err(_) => shortest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_equals_what_python_writes() {
        let value = json!({"b": [1, 2.5, null], "a": {"x": "Zürich <b> \"q\""}, "e": []});
        let plain = dumps(&value, &Layout::default());
        assert_eq!(plain, r#"{"b": [1, 2.5, null], "a": {"x": "Zürich <b> \"q\""}, "e": []}"#);
        let ascii = dumps(&value, &Layout { ensure_ascii: true, sort_keys: true, ..Layout::default() });
        assert_eq!(ascii, r#"{"a": {"x": "Z\u00fcrich <b> \"q\""}, "b": [1, 2.5, null], "e": []}"#);
        let indented = dumps(&json!({"k": [1], "e": {}}), &Layout { indent: Some(2), ..Layout::default() });
        assert_eq!(
            dumps(&json!([1e16, 1e15, 1.5e-5, 0.0001, -2.0]), &Layout::default()),
            "[1e+16, 1000000000000000.0, 1.5e-05, 0.0001, -2.0]"
        );
        assert_eq!(indented, "{\n  \"k\": [\n    1\n  ],\n  \"e\": {}\n}");
    }
}
