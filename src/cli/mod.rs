//! One file per sub-command, and the only writer to standard output.

mod arguments;
mod pico;

pub use arguments::run;
