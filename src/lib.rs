//! planrun

pub mod stats;
