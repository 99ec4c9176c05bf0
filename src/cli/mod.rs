//! The command line: one file per sub-command; the only writer to stdout.

mod pico;

pub use pico::run;
