//! Typed access to the metadata.

use super::cursor::{ByteOrder, Cursor};
use super::error::{Flaw, GgufError};
use super::header::Entry;
use super::value::{Elements, Kind};
use std::collections::HashMap;
use std::path::Path;

/// The keys of a model (of a split one, those of its first part). `None` is an absent key; a value of another type than
/// asked for is an error that names the file and the key.
#[derive(Debug, Clone, Copy)]
pub struct Metadata<'file> {
    pub(super) path: &'file Path,
    pub(super) bytes: &'file [u8],
    pub(super) entries: &'file HashMap<String, Entry>,
}

/// A number as it was stored.
enum Number {
    Whole(i128),
    Real(f64),
}

impl<'file> Metadata<'file> {
    /// All keys, sorted.
    pub fn keys(&self) -> Vec<&'file str> {
        let mut keys: Vec<&str> = self.entries.keys().map(String::as_str).collect();
        keys.sort_unstable();
        keys
    }

    /// True if the key is there and holds an array.
    pub fn is_array(&self, key: &str) -> bool {
        self.entries.get(key).is_some_and(|entry| entry.kind == Kind::Array)
    }

    /// A string.
    pub fn text(&self, key: &str) -> Result<Option<&'file str>, GgufError> {
        self.scalar(key, "a string", |kind, cursor| match kind {
            Kind::Text => text(cursor, key).map(Some),
            _ => Ok(None),
        })
    }

    /// An integer of any type that is not negative.
    pub fn unsigned(&self, key: &str) -> Result<Option<u64>, GgufError> {
        self.scalar(key, "an integer of at least 0", |kind, cursor| {
            Ok(whole(kind, cursor, key)?.and_then(|value| u64::try_from(value).ok()))
        })
    }

    /// A number of any type.
    pub fn float(&self, key: &str) -> Result<Option<f64>, GgufError> {
        self.scalar(key, "a number", |kind, cursor| real(kind, cursor, key))
    }

    /// A bool.
    pub fn flag(&self, key: &str) -> Result<Option<bool>, GgufError> {
        self.scalar(key, "a bool", |kind, cursor| match kind {
            Kind::Bool => Ok(Some(cursor.take(1, key)?[0] != 0)),
            _ => Ok(None),
        })
    }

    /// An array of bools.
    pub fn flags(&self, key: &str) -> Result<Option<Vec<bool>>, GgufError> {
        self.array(key, "an array of bools", |kind, cursor| match kind {
            Kind::Bool => Ok(Some(cursor.take(1, key)?[0] != 0)),
            _ => Ok(None),
        })
    }

    /// An array of strings.
    pub fn texts(&self, key: &str) -> Result<Option<Vec<&'file str>>, GgufError> {
        self.array(key, "an array of strings", |kind, cursor| match kind {
            Kind::Text => text(cursor, key).map(Some),
            _ => Ok(None),
        })
    }

    /// An array of integers of any type.
    pub fn integers(&self, key: &str) -> Result<Option<Vec<i64>>, GgufError> {
        self.array(key, "an array of integers", |kind, cursor| {
            Ok(whole(kind, cursor, key)?.and_then(|value| i64::try_from(value).ok()))
        })
    }

    /// An array of numbers of any type.
    pub fn floats(&self, key: &str) -> Result<Option<Vec<f64>>, GgufError> {
        self.array(key, "an array of numbers", |kind, cursor| real(kind, cursor, key))
    }

    /// The value of a key that must be there: `metadata.need(key, metadata.unsigned(key)?)?`.
    pub fn need<T>(&self, key: &str, value: Option<T>) -> Result<T, GgufError> {
        value.ok_or_else(|| self.wrong(key, "it is missing"))
    }

    /// An error about the value of a key, for those who know what it means.
    pub fn wrong(&self, key: &str, problem: impl Into<String>) -> GgufError {
        GgufError::new(self.path, Flaw::key(key, problem))
    }

    /// An error about the value of a key that is right but means what is not done here.
    pub fn unsupported(&self, key: &str, problem: impl Into<String>) -> GgufError {
        GgufError::new(self.path, Flaw::Unsupported { key: key.to_owned(), problem: problem.into() })
    }

    fn scalar<T>(
        &self,
        key: &str,
        wanted: &str,
        read: impl FnOnce(Kind, &mut Cursor<'file>) -> Result<Option<T>, Flaw>,
    ) -> Result<Option<T>, GgufError> {
        let Some((kind, mut cursor)) = self.find(key) else { return Ok(None) };
        match read(kind, &mut cursor).map_err(|flaw| GgufError::new(self.path, flaw))? {
            Some(value) => Ok(Some(value)),
            None => Err(self.wrong(key, format!("{} instead of {wanted}", self.found(key)))),
        }
    }

    fn array<T>(
        &self,
        key: &str,
        wanted: &str,
        mut read: impl FnMut(Kind, &mut Cursor<'file>) -> Result<Option<T>, Flaw>,
    ) -> Result<Option<Vec<T>>, GgufError> {
        let refused = |flaw| GgufError::new(self.path, flaw);
        let Some((kind, mut cursor)) = self.find(key) else { return Ok(None) };
        if kind != Kind::Array {
            return Err(self.wrong(key, format!("{} instead of {wanted}", self.found(key))));
        }
        let elements = Elements::read(&mut cursor, key).map_err(refused)?;
        let mut values = Vec::new();
        for at in 0..elements.count {
            let value = read(elements.kind, &mut cursor).map_err(refused)?;
            let problem = || format!("element {at} ({}) does not make {wanted}", elements.kind.name());
            values.push(value.ok_or_else(|| self.wrong(key, problem()))?);
        }
        Ok(Some(values))
    }

    fn find(&self, key: &str) -> Option<(Kind, Cursor<'file>)> {
        let entry = self.entries.get(key)?;
        Some((entry.kind, Cursor::new(self.bytes, entry.at, ByteOrder::Little)))
    }

    /// What stands there, for messages.
    fn found(&self, key: &str) -> String {
        let Some((kind, mut cursor)) = self.find(key) else { return "nothing".to_owned() };
        match number(kind, &mut cursor, key) {
            Ok(Some(Number::Whole(value))) => format!("it is {value} ({})", kind.name()),
            Ok(Some(Number::Real(value))) => format!("it is {value} ({})", kind.name()),
            _ => format!("it is of type {}", kind.name()),
        }
    }
}

fn text<'file>(cursor: &mut Cursor<'file>, key: &str) -> Result<&'file str, Flaw> {
    let bytes = cursor.string(key)?;
    std::str::from_utf8(bytes).map_err(|_| {
        let shown = bytes.get(..40).unwrap_or(bytes).escape_ascii();
        Flaw::key(key, format!("the string \"{shown}\" is not UTF-8"))
    })
}

fn number(kind: Kind, cursor: &mut Cursor<'_>, key: &str) -> Result<Option<Number>, Flaw> {
    Ok(Some(match kind {
        Kind::U8 => Number::Whole(u8::from_le_bytes(cursor.number(key)?).into()),
        Kind::I8 => Number::Whole(i8::from_le_bytes(cursor.number(key)?).into()),
        Kind::U16 => Number::Whole(u16::from_le_bytes(cursor.number(key)?).into()),
        Kind::I16 => Number::Whole(i16::from_le_bytes(cursor.number(key)?).into()),
        Kind::U32 => Number::Whole(u32::from_le_bytes(cursor.number(key)?).into()),
        Kind::I32 => Number::Whole(i32::from_le_bytes(cursor.number(key)?).into()),
        Kind::U64 => Number::Whole(u64::from_le_bytes(cursor.number(key)?).into()),
        Kind::I64 => Number::Whole(i64::from_le_bytes(cursor.number(key)?).into()),
        Kind::F32 => Number::Real(f32::from_le_bytes(cursor.number(key)?).into()),
        Kind::F64 => Number::Real(f64::from_le_bytes(cursor.number(key)?)),
        Kind::Bool | Kind::Text | Kind::Array => return Ok(None),
    }))
}

fn whole(kind: Kind, cursor: &mut Cursor<'_>, key: &str) -> Result<Option<i128>, Flaw> {
    Ok(match number(kind, cursor, key)? {
        Some(Number::Whole(value)) => Some(value),
        _ => None,
    })
}

fn real(kind: Kind, cursor: &mut Cursor<'_>, key: &str) -> Result<Option<f64>, Flaw> {
    Ok(number(kind, cursor, key)?.map(|number| match number {
        Number::Whole(value) => value as f64,
        Number::Real(value) => value,
    }))
}
