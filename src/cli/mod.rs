//! One file per sub-command, and the only writer to standard output.

mod arguments;
mod check;
mod graph;
mod init;
mod output;
mod schema;

pub use arguments::run;
