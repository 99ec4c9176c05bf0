//! One file per sub-command, and the only writer to standard output.

mod again;
mod arguments;
mod check;
mod compare;
mod completions;
mod exec;
mod explain;
mod foreseen;
mod graph;
mod guard;
mod init;
mod kept;
mod network;
mod output;
mod pair_arguments;
mod permissions;
mod pico;
mod publish;
mod render;
mod report;
mod run;
mod schema;
mod status;
mod tokens;
mod touched;
mod user_config;

pub mod selftest;

pub use arguments::run;
