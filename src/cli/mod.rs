//! One file per sub-command, and the only writer to standard output.

mod again;
mod arguments;
mod exec;
mod output;
mod run;

pub use arguments::run;
