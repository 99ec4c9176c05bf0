//! One file per sub-command, and the only writer to standard output.

mod again;
mod arguments;
mod compare;
mod exec;
mod explain;
mod kept;
mod output;
mod pair_arguments;
mod pico;
mod report;
mod run;

pub use arguments::run;
