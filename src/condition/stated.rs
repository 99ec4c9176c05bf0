//! Three states of a value: unknown, unset, set. Unset is not false, and unknown is not equal to anything.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// A value that may be unknown (nobody recorded it), unset (left to the engine, or not applicable), or set.
///
/// In JSON an absent key is [`Stated::Unknown`] and `null` is [`Stated::Unset`]; fields of this type therefore carry
/// `#[serde(default, skip_serializing_if = "Stated::is_unknown")]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stated<T> {
    /// Not recorded.
    #[default]
    Unknown,
    /// Recorded as absent: asked for nothing, or does not apply.
    Unset,
    /// Recorded.
    Set(T),
}

impl<T> Stated<T> {
    /// True when nobody recorded the value.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// The value, if one is set.
    pub fn get(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Unknown | Self::Unset => None,
        }
    }
}

impl<T: Copy> Stated<T> {
    /// The value, or a default where none is set.
    pub fn or(&self, default: T) -> T {
        self.get().copied().unwrap_or(default)
    }
}

impl<T> From<T> for Stated<T> {
    fn from(value: T) -> Self {
        Self::Set(value)
    }
}

impl<T: Serialize> Serialize for Stated<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Stated<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Unset, Self::Set))
    }
}

impl<T: JsonSchema> JsonSchema for Stated<T> {
    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
    fn inline_schema() -> bool {
        true
    }
}
