//! Where panels stand in memory.

use memmap2::MmapMut;
#[cfg(target_os = "linux")]
use memmap2::{Advice, MmapOptions};
use std::ops::Range;
use std::sync::Arc;

#[cfg(target_os = "linux")]
/// Alignment of each matrix: a line of the cache.
const LINE: usize = 64;

#[cfg(target_os = "linux")]
/// The size of a huge page, and so the alignment of the first matrix of a mapping.
const HUGE: usize = 2 << 20;

/// Bytes that do not change any more.
pub(super) enum Storage {
    /// An allocation of its own.
    Own(Vec<u8>),
    /// A part of a mapping that many matrices share.
    Shared(Arc<MmapMut>, Range<usize>),
}

impl Storage {
    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Shared(mapping, range) => &mapping[range.clone()],
        }
    }
}

/// Moves all to one mapping of huge pages. A matrix is read from end to end for every token; in small pages the processor
/// spends as much time on finding the pages as on reading them. Where the system has none, everything stays as it is.
#[cfg(not(target_os = "linux"))]
pub(super) fn together(_: &mut [&mut Storage]) {}

/// See above.
#[cfg(target_os = "linux")]
pub(super) fn together(all: &mut [&mut Storage]) {
    let room: usize = all.iter().map(|storage| storage.bytes().len().next_multiple_of(LINE)).sum();
    let Ok(mut mapping) = MmapOptions::new().len(room + HUGE).map_anon() else { return };
    if mapping.advise(Advice::HugePage).is_err() {
        return;
    }
    let mut at = mapping.as_ptr().align_offset(HUGE);
    let mut ranges = Vec::with_capacity(all.len());
    for storage in all.iter_mut() {
        let range = at..at + storage.bytes().len();
        mapping[range.clone()].copy_from_slice(storage.bytes());
        **storage = Storage::Own(Vec::new());
        at = range.end.next_multiple_of(LINE);
        ranges.push(range);
    }
    let mapping = Arc::new(mapping);
    for (storage, range) in all.iter_mut().zip(ranges) {
        **storage = Storage::Shared(Arc::clone(&mapping), range);
    }
}
