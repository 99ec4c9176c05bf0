//! One file per sub-command, and the only writer to standard output.

mod arguments;
mod check;
mod compare;
mod explain;
mod graph;
mod init;
mod output;
mod pair_arguments;
mod pico;
mod schema;

pub use arguments::run;
