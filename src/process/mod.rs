//! Other processes: one in a group of its own from its start to its end, how one that ended is told of, and what it said last.

mod death;
mod group;
mod last_words;

pub use death::Death;
pub use group::{Ending, Group, end_own_group};
pub use last_words::{last_lines, last_words, shortened, tail};
