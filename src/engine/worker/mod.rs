//! Workers: small Python programs that this binary carries. A run's own process starts one and talks to it in lines of JSON
//! over pipes; each line is stamped as it arrives. What is computed, and with which library, is said by the room of that
//! library, which brings the other half of the program.

mod backend;
mod error;
mod lines;
mod open;
mod process;
mod protocol;
mod speaker;

pub(super) use backend::Backend;
pub(super) use open::open;
