//! What a plan becomes before anything runs.

use super::{ArmKind, Plan, PlanIdentity, Slot};
use crate::condition::{Field, Settings, Workload};
use petgraph::graph::DiGraph;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A plan worked out: everything that is known before anything runs.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The plan as declared, overrides applied.
    pub document: Plan,
    /// Path of the plan file, as given.
    pub path: PathBuf,
    /// Text of the plan file.
    pub text: String,
    /// Overrides given on the command line (`settings.max_tokens=64`).
    pub overrides: Vec<String>,
    /// Name, and the hash over all that decides the runs.
    pub identity: PlanIdentity,
    /// In the plan's order.
    pub factors: Vec<Factor>,
    /// In order of the grid: the last factor moves fastest.
    pub cells: Vec<Cell>,
    /// Index of the baseline cell, which the control arm repeats.
    pub baseline: u32,
    /// What may be compared; node and edge data are cell indices and fields.
    pub graph: ComparisonGraph,
    /// In the plan's order, which is also the order of time.
    pub workloads: Vec<PlannedWorkload>,
    /// Fingerprint and number of tasks of each workload's task set; `None` where prompts are synthetic.
    pub task_sets: Vec<Option<PlannedTasks>>,
    /// Fingerprints of the models that are files, by the names that the plan uses.
    pub models: BTreeMap<String, String>,
    /// For each workload, whether it cannot tell the levels of each factor apart.
    pub inert_factors: Vec<Vec<bool>>,
    /// What a reader of the plan should know: what collapses, what could not be checked.
    pub notes: Vec<String>,
}

impl Planned {
    /// The folder that the plan stands in.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}

/// The task set of a workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedTasks {
    /// The file.
    pub path: PathBuf,
    /// Number of tasks.
    pub count: u64,
    /// Fingerprint of their content.
    pub fingerprint: String,
}

/// One run of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedRun {
    /// Unique in the plan, and the stem of its record's file: `timing-b03-s0-p017`, `quality-c0007`, `quality-control`.
    pub id: String,
    /// Index in [`Planned::workloads`].
    pub workload: u32,
    /// Index in the workload's arms.
    pub arm: u32,
    /// Index in [`Planned::cells`].
    pub cell: u32,
    /// Cell or control.
    pub kind: ArmKind,
    /// Place in the schedule.
    pub slot: Slot,
}

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
    /// Edges (pairs of cells and their field) that this workload can judge: between cells that stand for an arm, each pair
    /// of arms once.
    pub edges: Vec<PlannedEdge>,
    /// True for a workload that judges no times, which runs once per arm; else mirrored blocks.
    pub once: bool,
    /// Blocks of sub-blocks of arm indices; each sub-block runs forward, then in reverse. When `once`: one block of one
    /// sub-block, which runs forward only.
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
