//! SHA-256 fingerprints: 64 hex digits are kept, 12 are shown.
//!
//! Two ways in, and no third: [`of_parts`] over NUL-terminated UTF-8 parts, and [`of_json`] over the canonical
//! (key-sorted, whitespace-free) JSON text, which is also the only JSON text that is ever hashed.

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::Path;

/// Hex digits shown to people.
pub const SHOWN: usize = 12;

/// Fingerprint of a sequence of parts, each ended by a NUL byte, so that `["ab", "c"]` and `["a", "bc"]` differ.
pub fn of_parts<I, S>(parts: I) -> String
where
    I: IntoIterator<Item = S>,
    S: AsRef<[u8]>,
{
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_ref());
        hasher.update([0u8]);
    }
    hex(&hasher.finalize())
}

/// Plain SHA-256 of bytes, as `sha256sum` prints it: used for whole files.
pub fn of_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Plain SHA-256 of a file's bytes, read in pieces.
pub fn of_file(path: &Path) -> io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let mut hasher = Sha256::new();
    let mut piece = vec![0u8; 1 << 20];
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            return Ok(hex(&hasher.finalize()));
        }
        hasher.update(&piece[..read]);
    }
}

/// Fingerprint of any serializable value through its [`canonical_json`].
pub fn of_json<T: Serialize>(value: &T) -> serde_json::Result<String> {
    Ok(of_bytes(canonical_json(value)?.as_bytes()))
}

/// JSON with keys sorted at every depth and no white space: equal values give equal text, whatever the order of fields.
pub fn canonical_json<T: Serialize>(value: &T) -> serde_json::Result<String> {
    serde_json::to_string(&sorted(serde_json::to_value(value)?))
}

/// The first [`SHOWN`] hex digits.
pub fn short(full: &str) -> &str {
    full.get(..SHOWN).unwrap_or(full)
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.into_iter().collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(entries.into_iter().map(|(key, inner)| (key, sorted(inner))).collect())
        }
        Value::Array(list) => Value::Array(list.into_iter().map(sorted).collect()),
        other => other,
    }
}

fn hex(digest: &[u8]) -> String {
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
