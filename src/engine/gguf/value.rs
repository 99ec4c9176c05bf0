//! The thirteen types of metadata values.

use super::cursor::Cursor;
use super::error::Flaw;

/// Arrays inside arrays are followed this far.
const DEEPEST: usize = 16;

/// Type of a metadata value, numbered as in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Bool,
    Text,
    Array,
    U64,
    I64,
    F64,
}

const KINDS: [(Kind, &str, u64); 13] = [
    (Kind::U8, "u8", 1),
    (Kind::I8, "i8", 1),
    (Kind::U16, "u16", 2),
    (Kind::I16, "i16", 2),
    (Kind::U32, "u32", 4),
    (Kind::I32, "i32", 4),
    (Kind::F32, "f32", 4),
    (Kind::Bool, "bool", 1),
    (Kind::Text, "string", 8),
    (Kind::Array, "array", 12),
    (Kind::U64, "u64", 8),
    (Kind::I64, "i64", 8),
    (Kind::F64, "f64", 8),
];

impl Kind {
    /// Reads the number of a type.
    pub(super) fn read(cursor: &mut Cursor<'_>, reading: &str) -> Result<Self, Flaw> {
        let number = cursor.u32(reading)?;
        match KINDS.get(number as usize) {
            Some((kind, _, _)) => Ok(*kind),
            None => Err(cursor.flaw(reading, format!("there is no value type {number}"))),
        }
    }

    /// Name of the type, for messages.
    pub(super) fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// Bytes of a value; of a string or array, of an empty one.
    fn smallest(self) -> u64 {
        KINDS[self as usize].2
    }

    /// Passes over one value and checks that the file holds it.
    pub(super) fn skip(self, cursor: &mut Cursor<'_>, reading: &str) -> Result<(), Flaw> {
        self.skip_within(cursor, reading, 0)
    }

    fn skip_within(self, cursor: &mut Cursor<'_>, reading: &str, depth: usize) -> Result<(), Flaw> {
        match self {
            Self::Text => cursor.string(reading).map(drop),
            Self::Array if depth == DEEPEST => {
                Err(cursor.flaw(reading, format!("arrays are nested more than {DEEPEST} deep")))
            }
            Self::Array => Elements::read(cursor, reading)?.skip(cursor, reading, depth + 1),
            Self::Bool => {
                let byte = cursor.take(1, reading)?[0];
                (byte < 2).then_some(()).ok_or_else(|| not_a_flag(cursor, reading, byte))
            }
            _ => cursor.take(self.smallest(), reading).map(drop),
        }
    }
}

fn not_a_flag(cursor: &Cursor<'_>, reading: &str, byte: u8) -> Flaw {
    cursor.flaw(reading, format!("a bool is 0 or 1, and this one is {byte}"))
}

/// What stands before the elements of an array.
#[derive(Debug, Clone, Copy)]
pub(super) struct Elements {
    pub(super) kind: Kind,
    pub(super) count: u64,
}

impl Elements {
    pub(super) fn read(cursor: &mut Cursor<'_>, reading: &str) -> Result<Self, Flaw> {
        let kind = Kind::read(cursor, reading)?;
        let count = cursor.count(kind.smallest(), reading)?;
        Ok(Self { kind, count })
    }

    fn skip(self, cursor: &mut Cursor<'_>, reading: &str, depth: usize) -> Result<(), Flaw> {
        match self.kind {
            Kind::Text | Kind::Array | Kind::Bool => {
                (0..self.count).try_for_each(|_| self.kind.skip_within(cursor, reading, depth))
            }
            // The count was bounded by the bytes left, so the product cannot overflow.
            _ => cursor.take(self.count * self.kind.smallest(), reading).map(drop),
        }
    }
}
