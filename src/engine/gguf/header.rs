//! What stands before the weights.

use super::cursor::{ByteOrder, Cursor};
use super::error::Flaw;
use super::tensor::{SMALLEST_LINE, TensorInfo, check_layout};
use super::value::Kind;
use std::collections::{HashMap, HashSet};

/// Longest name of a key or tensor, in bytes; the format's own limit for keys.
const LONGEST_NAME: usize = 65_535;
/// Bytes of the shortest metadata entry: an empty key, a type and one byte.
const SMALLEST_ENTRY: u64 = 8 + 4 + 1;
const ALIGNMENT_KEY: &str = "general.alignment";
const DEFAULT_ALIGNMENT: u64 = 32;

/// Where the value of a key lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    /// First byte of the value, from the beginning of the file.
    pub(super) at: usize,
}

/// One file's metadata and tensor table.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) entries: HashMap<String, Entry>,
    pub(super) tensors: Vec<TensorInfo>,
    /// First byte of the data section.
    pub(super) data: u64,
}

impl Header {
    /// Reads the header of a file and checks that every tensor lies in the file, alone.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Flaw> {
        let (version, order) = read_version(bytes)?;
        let header = Self::read_tables(Cursor::new(bytes, 8, order));
        if order == ByteOrder::Little {
            let header = header?;
            let available = (bytes.len() as u64).saturating_sub(header.data);
            check_layout(&header.tensors, available)?;
            return Ok(header);
        }
        // A big-endian header is read all the same: one that is also cut off is called cut off.
        match header {
            Err(Flaw::CutOff { reading, at, needed, size }) => {
                let reading = format!("the big-endian header, {reading}");
                Err(Flaw::CutOff { reading, at, needed, size })
            }
            _ => Err(Flaw::BigEndian(version)),
        }
    }

    fn read_tables(mut cursor: Cursor<'_>) -> Result<Self, Flaw> {
        let tensors = cursor.u64("the number of tensors")?;
        let entries = cursor.u64("the number of metadata keys")?;
        refuse_count(&cursor, entries, SMALLEST_ENTRY, "the number of metadata keys")?;
        let entries = read_entries(&mut cursor, entries)?;
        refuse_count(&cursor, tensors, SMALLEST_LINE, "the number of tensors")?;
        let alignment = alignment(&cursor, &entries)?;
        let tensors = read_tensors(&mut cursor, tensors, alignment)?;
        Ok(Self { entries, tensors, data: (cursor.at() as u64).next_multiple_of(alignment) })
    }
}

/// Version and byte order: nothing in the file names the order, but a version that is a multiple of 65,536 was written
/// in the other one.
fn read_version(bytes: &[u8]) -> Result<(u32, ByteOrder), Flaw> {
    let mut cursor = Cursor::new(bytes, 0, ByteOrder::Little);
    let magic: [u8; 4] = cursor.number("the magic bytes")?;
    if magic != *b"GGUF" {
        return Err(Flaw::Magic(magic));
    }
    let written = cursor.u32("the version")?;
    let (version, order) = match written {
        0 => (0, ByteOrder::Little),
        _ if written.trailing_zeros() >= 16 => (written.swap_bytes(), ByteOrder::Big),
        _ => (written, ByteOrder::Little),
    };
    match version {
        2 | 3 => Ok((version, order)),
        _ => Err(Flaw::Version(version)),
    }
}

fn refuse_count(cursor: &Cursor<'_>, count: u64, smallest: u64, reading: &str) -> Result<(), Flaw> {
    if count > cursor.left() / smallest {
        let problem = format!("{count} cannot stand in the {} bytes that are left", cursor.left());
        return Err(cursor.flaw(reading, problem));
    }
    Ok(())
}

fn read_entries(cursor: &mut Cursor<'_>, count: u64) -> Result<HashMap<String, Entry>, Flaw> {
    let mut entries = HashMap::new();
    for at in 1..=count {
        let reading = format!("metadata key {at} of {count}");
        let key = name(cursor, &reading)?;
        let reading = format!("{reading}, `{key}`");
        let kind = Kind::read(cursor, &reading)?;
        let entry = Entry { kind, at: cursor.at() };
        kind.skip(cursor, &reading)?;
        if entries.insert(key, entry).is_some() {
            return Err(cursor.flaw(&reading, "this key has come before".to_owned()));
        }
    }
    Ok(entries)
}

fn read_tensors(cursor: &mut Cursor<'_>, count: u64, alignment: u64) -> Result<Vec<TensorInfo>, Flaw> {
    let mut tensors: Vec<TensorInfo> = Vec::new();
    for at in 1..=count {
        tensors.push(TensorInfo::read(cursor, alignment, &format!("tensor {at} of {count}"))?);
    }
    let mut seen = HashSet::new();
    match tensors.iter().find(|tensor| !seen.insert(tensor.name.as_str())) {
        Some(twice) => Err(Flaw::tensor(&twice.name, "the table names it twice")),
        None => Ok(tensors),
    }
}

/// Name of a key or tensor.
pub(super) fn name(cursor: &mut Cursor<'_>, reading: &str) -> Result<String, Flaw> {
    let bytes = cursor.string(reading)?;
    if bytes.len() > LONGEST_NAME {
        return Err(cursor.flaw(reading, format!("a name of {} bytes is too long", bytes.len())));
    }
    match std::str::from_utf8(bytes) {
        Ok(name) => Ok(name.to_owned()),
        Err(_) => Err(cursor.flaw(reading, format!("the name \"{}\" is not UTF-8", bytes.escape_ascii()))),
    }
}

fn alignment(cursor: &Cursor<'_>, entries: &HashMap<String, Entry>) -> Result<u64, Flaw> {
    let Some(entry) = entries.get(ALIGNMENT_KEY) else { return Ok(DEFAULT_ALIGNMENT) };
    let wrong =
        |found: &str| Flaw::key(ALIGNMENT_KEY, format!("it is {found}, and should be a power of 2 as a u32"));
    if entry.kind != Kind::U32 {
        return Err(wrong(&format!("of type {}", entry.kind.name())));
    }
    let alignment = cursor.moved_to(entry.at).u32(ALIGNMENT_KEY)?;
    if alignment.is_power_of_two() { Ok(alignment.into()) } else { Err(wrong(&alignment.to_string())) }
}
