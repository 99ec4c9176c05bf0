//! Before: TOML text becomes cells, a comparison graph and a schedule. Pure: nothing here runs or measures.

mod planned;

pub use planned::{Cell, ComparisonGraph, Factor, PlannedEdge, PlannedWorkload};
