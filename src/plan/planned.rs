//! What a plan becomes before anything runs.

use crate::condition::{Field, Settings, Workload};
use petgraph::graph::DiGraph;
use serde::{Deserialize, Serialize};

/// One combination of factor levels.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Index in [`Planned::cells`]; 0 is the first cell of the grid.
    pub index: u32,
    /// The levels in words (`quantization=q8_0 thinking=true`); empty where the plan has no grid.
    pub label: String,
    /// Index of its level in each factor, in the order of [`Planned::factors`].
    pub levels: Vec<u16>,
    /// All its settings.
    pub settings: Settings,
}

/// A factor of the grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Factor {
    /// Its key in `[grid]`.
    pub name: String,
    /// The field that it varies.
    pub field: Field,
    /// Its levels in words, in the plan's order.
    pub levels: Vec<String>,
}

/// What may be compared: an edge runs from the lower to the higher level and carries the one field that differs.
pub type ComparisonGraph = DiGraph<u32, Field>;

/// A workload with its arms and runs.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedWorkload {
    /// The protocol.
    pub workload: Workload,
    /// For each cell, the index of the arm that stands for it: cells that this workload cannot tell apart share one.
    pub arm_of_cell: Vec<u32>,
    /// The cell of each arm; the last arm is the control, where there is one.
    pub arms: Vec<u32>,
    /// True if the last arm is the control.
    pub control: bool,
    /// Edges (pairs of cells and their field) that this workload can judge, merged pairs left out.
    pub edges: Vec<PlannedEdge>,
    /// True for a deterministic quality workload, which runs once per arm; else mirrored blocks.
    pub once: bool,
    /// Blocks of sub-blocks of arm indices; each sub-block runs forward, then in reverse (not when `once`).
    pub blocks: Vec<Vec<Vec<u32>>>,
}

/// A pair of cells that differ in one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedEdge {
    /// Cell of the lower level.
    pub before: u32,
    /// Cell of the higher level.
    pub after: u32,
    /// The one field that differs.
    pub field: Field,
}
