//! One file per sub-command, and the only writer to standard output.

mod arguments;

pub use arguments::run;
