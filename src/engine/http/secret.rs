//! A key that is shown to nobody but the server.

use std::fmt;

/// An API key. It has no `Display`, its `Debug` hides it, and it cannot be serialized.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Reads the environment variable of this name; white space around the key is no part of it.
    ///
    /// # Errors
    /// When the variable is not set, or empty.
    pub fn from_environment(variable: &str) -> Result<Self, String> {
        let value = std::env::var(variable).unwrap_or_default();
        match value.trim() {
            "" => Err(format!("the environment variable {variable} is not set")),
            key => Ok(Self(key.to_owned())),
        }
    }

    /// The value of the `Authorization` header.
    pub(super) fn authorization(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// A server's words with the key taken out of them: some repeat it in their errors.
    pub(super) fn hidden_in(&self, words: &str) -> String {
        words.replace(&self.0, "[key]")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
