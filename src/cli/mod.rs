//! One file per sub-command, and the only writer to standard output.

mod arguments;
mod compare;
mod explain;
mod pair_arguments;
mod pico;

pub use arguments::run;
