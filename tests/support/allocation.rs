//! How much memory a piece of code asks for at once.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which remembers the largest request of each thread.
struct Watched;

#[global_allocator]
static ALLOCATOR: Watched = Watched;

#[allow(
    unsafe_code,
    reason = "an allocator cannot be written without; everything is handed on to the system's"
)]
// SAFETY: every request goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        unsafe { System.realloc(place, layout, size) }
    }
}

fn note(size: usize) {
    // A thread that is ending has no counter any more, and nobody asks it.
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(size)));
}

/// Bytes of the largest single request that `work` makes on this thread.
pub(crate) fn largest_request<T>(work: impl FnOnce() -> T) -> (T, usize) {
    LARGEST.set(0);
    let result = work();
    (result, LARGEST.get())
}
