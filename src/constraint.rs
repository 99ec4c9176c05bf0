//! What replies are held to while they are generated: a JSON schema or a grammar, read from its file.

use crate::fingerprint;
use crate::process::shortened;
use jsonschema::Validator;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Characters of a violation that an error shows: it may quote the whole reply.
const SHOWN: usize = 300;

/// Why replies cannot be held to what a file says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}; {remedy}")]
pub struct ConstraintError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it, with the place.
    pub problem: String,
    /// What to do.
    pub remedy: &'static str,
}

/// A JSON schema (<https://json-schema.org>), compiled.
#[derive(Debug, Clone)]
pub struct ReplySchema {
    /// The schema itself.
    pub document: Value,
    /// SHA-256 of its file.
    pub fingerprint: String,
    validator: Validator,
}

impl ReplySchema {
    /// Reads a schema. Its draft is the one that `$schema` names, else 2020-12.
    ///
    /// # Errors
    /// For a file that is not there, is no JSON object, is no valid schema, or refers to another one by its address: nothing is
    /// ever fetched.
    pub fn read(path: &Path) -> Result<Self, ConstraintError> {
        let wrong = |problem: String, remedy| ConstraintError { path: path.to_owned(), problem, remedy };
        let text = text(path)?;
        let document: Value = serde_json::from_str(&text)
            .map_err(|error| wrong(format!("no JSON: {error}"), "write a JSON schema into it"))?;
        if !document.is_object() {
            let problem = "no schema that servers take: it is no JSON object".to_owned();
            return Err(wrong(problem, "write a JSON schema such as {\"type\": \"object\"}"));
        }
        let validator = jsonschema::options().offline().build(&document).map_err(|error| {
            let problem =
                format!("no valid JSON schema, at {}: {error}", place(error.instance_path().as_str()));
            wrong(
                shortened(&problem, SHOWN),
                "mend it; what it refers to must stand in it, such as under `$defs`",
            )
        })?;
        Ok(Self { document, fingerprint: fingerprint::of_bytes(text.as_bytes()), validator })
    }

    /// Where and how a reply breaks the schema; `None` where it keeps to it.
    pub fn violation(&self, reply: &str) -> Option<String> {
        let value: Value = match serde_json::from_str(reply) {
            Ok(value) => value,
            Err(error) => return Some(shortened(&format!("no JSON ({error}): {reply}"), SHOWN)),
        };
        let error = self.validator.validate(&value).err()?;
        Some(shortened(&format!("at {}: {error}", place(error.instance_path().as_str())), SHOWN))
    }
}

/// A grammar in an engine's own language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grammar {
    /// The grammar itself.
    pub text: String,
    /// SHA-256 of its file.
    pub fingerprint: String,
}

impl Grammar {
    /// Reads a grammar; whether it is one, only the engine can say.
    ///
    /// # Errors
    /// For a file that is not there, is no UTF-8, or is empty.
    pub fn read(path: &Path) -> Result<Self, ConstraintError> {
        let text = text(path)?;
        if text.trim().is_empty() {
            return Err(ConstraintError {
                path: path.to_owned(),
                problem: "an empty grammar, which holds replies to nothing".to_owned(),
                remedy: "write one in the engine's language (GBNF for llama.cpp), or leave `grammar` out",
            });
        }
        Ok(Self { fingerprint: fingerprint::of_bytes(text.as_bytes()), text })
    }
}

fn text(path: &Path) -> Result<String, ConstraintError> {
    fs::read_to_string(path).map_err(|error| {
        let problem = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".to_owned(),
            io::ErrorKind::InvalidData => "not a text in UTF-8".to_owned(),
            _ => error.to_string(),
        };
        ConstraintError { path: path.to_owned(), problem, remedy: "paths are relative to the plan" }
    })
}

fn place(pointer: &str) -> &str {
    if pointer.is_empty() { "its root" } else { pointer }
}
