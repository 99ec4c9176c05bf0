//! A place in a file from which numbers and strings are read; it cannot leave the file.

use super::error::Flaw;

/// How the bytes of a number follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

/// Reads forward through `bytes`.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'data> {
    bytes: &'data [u8],
    at: usize,
    order: ByteOrder,
}

impl<'data> Cursor<'data> {
    /// `at` may lie behind the end; then every read fails.
    pub(super) fn new(bytes: &'data [u8], at: usize, order: ByteOrder) -> Self {
        Self { bytes, at, order }
    }

    /// The same file, from another byte on.
    pub(super) fn moved_to(&self, at: usize) -> Self {
        Self { at, ..self.clone() }
    }

    /// Bytes from the beginning of the file.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Bytes up to the end of the file.
    pub(super) fn left(&self) -> u64 {
        self.bytes.len().saturating_sub(self.at) as u64
    }

    /// The next `count` bytes; what they are for is said by `reading`, should they be missing.
    pub(super) fn take(&mut self, count: u64, reading: &str) -> Result<&'data [u8], Flaw> {
        let end = usize::try_from(count).ok().and_then(|count| self.at.checked_add(count));
        match end.and_then(|end| Some((end, self.bytes.get(self.at..end)?))) {
            Some((end, taken)) => {
                self.at = end;
                Ok(taken)
            }
            None => Err(Flaw::CutOff {
                reading: reading.to_owned(),
                at: self.at.min(self.bytes.len()),
                needed: count,
                size: self.bytes.len(),
            }),
        }
    }

    /// A number of `N` bytes, turned so that the least significant byte stands first.
    pub(super) fn number<const N: usize>(&mut self, reading: &str) -> Result<[u8; N], Flaw> {
        let mut number = [0; N];
        number.copy_from_slice(self.take(N as u64, reading)?);
        if self.order == ByteOrder::Big {
            number.reverse();
        }
        Ok(number)
    }

    pub(super) fn u32(&mut self, reading: &str) -> Result<u32, Flaw> {
        self.number(reading).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, reading: &str) -> Result<u64, Flaw> {
        self.number(reading).map(u64::from_le_bytes)
    }

    /// A length in bytes and that many bytes.
    pub(super) fn string(&mut self, reading: &str) -> Result<&'data [u8], Flaw> {
        let length = self.u64(reading)?;
        self.take(length, reading)
    }

    /// How many things follow, each of at least `smallest` bytes: a count that the file cannot hold is refused.
    pub(super) fn count(&mut self, smallest: u64, reading: &str) -> Result<u64, Flaw> {
        let count = self.u64(reading)?;
        if count > self.left() / smallest {
            return Err(self.flaw(
                reading,
                format!("{count} of them cannot stand in the {} bytes that are left", self.left()),
            ));
        }
        Ok(count)
    }

    /// Something is wrong here.
    pub(super) fn flaw(&self, reading: &str, problem: String) -> Flaw {
        Flaw::Header { reading: reading.to_owned(), at: self.at, problem }
    }
}
