//! A key that is shown to nobody but the server.

use std::fmt;

/// An API key. It has no `Display`, its `Debug` hides it, and it cannot be serialized.
#[derive(Clone)]
pub struct Secret {
    /// The environment variable that held it.
    variable: String,
    key: String,
    /// The key as it stands in JSON.
    in_json: String,
}

/// Shorter ones are placeholders (`EMPTY`, `none`), and may be any word of an honest reply.
const SHORTEST_SECRET: usize = 8;
/// What stands in its place.
const HIDDEN: &str = "[key]";

impl Secret {
    /// Reads the environment variable of this name; white space around the key is no part of it.
    ///
    /// # Errors
    /// When the variable is not set, or empty, and for a key that no header can carry
    /// (<https://www.rfc-editor.org/rfc/rfc9110#name-field-values>).
    pub fn from_environment(variable: &str) -> Result<Self, String> {
        let value = std::env::var_os(variable).unwrap_or_default();
        let value = value.to_string_lossy();
        match value.trim() {
            "" => Err(format!("the environment variable {variable} is not set")),
            key if !key.bytes().all(|byte| matches!(byte, b' '..=b'~')) => Err(format!(
                "the value of ${variable} cannot be sent: a header holds no line end and nothing but ASCII"
            )),
            key => Ok(Self { variable: variable.to_owned(), key: key.to_owned(), in_json: in_json(key) }),
        }
    }

    /// The environment variable that held it.
    pub(super) fn variable(&self) -> &str {
        &self.variable
    }

    /// The value of the `Authorization` header.
    pub(super) fn authorization(&self) -> String {
        format!("Bearer {}", self.key)
    }

    /// A server's words with the key taken out of them: some repeat it in their errors.
    pub(super) fn hidden_in(&self, words: &str) -> String {
        words.replace(&self.key, HIDDEN).replace(&self.in_json, HIDDEN)
    }

    /// The same of what is read on: a model's name or a version that repeats the key would come into the records.
    pub(super) fn hidden_in_reply(&self, text: String) -> String {
        let is_there = text.contains(&self.key) || text.contains(&self.in_json);
        if is_there && self.key.len() >= SHORTEST_SECRET { self.hidden_in(&text) } else { text }
    }
}

fn in_json(key: &str) -> String {
    let quoted = serde_json::Value::from(key).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
