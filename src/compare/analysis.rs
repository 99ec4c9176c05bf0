//! Everything that the records say, ready to be shown.

use super::{Made, MetricAnalysis, Refusal};
use crate::condition::{Field, Origin};
use crate::record::{FailureKind, PlanIdentity};
use serde::Serialize;

/// The judged plan. A report shows this and computes nothing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Analysis {
    /// Which plan.
    pub plan: PlanIdentity,
    /// The family error declared by the plan (0.05), shared by the primary metrics.
    pub alpha: f64,
    /// The factors of the grid.
    pub factors: Vec<AnalysedFactor>,
    /// The cells in the order of the plan.
    pub cells: Vec<CellSummary>,
    /// Index of the baseline cell.
    pub baseline: u32,
    /// How many runs were planned, done, failed and missing.
    pub coverage: Coverage,
    /// When the records were made, and by which build.
    pub made: Made,
    /// Failed and absent runs by name.
    pub missing: Vec<MissingRun>,
    /// One entry a workload.
    pub workloads: Vec<WorkloadAnalysis>,
    /// Planned edges that the guard refused.
    pub refused: Vec<RefusedEdge>,
    /// Pairs of cells that were never planned as edges.
    pub not_compared: NotCompared,
    /// Unknown fields that were taken as equal by name.
    pub assumed: Vec<Field>,
    /// What a reader of the whole must know.
    pub warnings: Vec<String>,
}

/// A factor of the grid, as the plan declares it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnalysedFactor {
    /// Its key.
    pub name: String,
    /// The field that it varies.
    pub field: Field,
    /// Its levels in words.
    pub levels: Vec<String>,
}

/// One cell: what was asked and what was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellSummary {
    /// Index in the plan.
    pub index: u32,
    /// The levels in words.
    pub label: String,
    /// Index of its level in each factor.
    pub levels: Vec<u16>,
    /// Every controlled field with its effective value, from the cell's first finished run.
    pub condition: Vec<Shown>,
}

/// A field's value in words, and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    /// Which field.
    pub field: Field,
    /// In words; `unknown` and `unset` are words too.
    pub value: String,
    /// Read or asked.
    pub origin: Origin,
}

/// How complete the records are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Coverage {
    /// Runs of the schedule.
    pub planned: u32,
    /// Finished.
    pub done: u32,
    /// Recorded as failed.
    pub failed: u32,
    /// Without a record.
    pub absent: u32,
}

/// A run that the statistics had to do without.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissingRun {
    /// Its id.
    pub name: String,
    /// Its cell in words.
    pub label: String,
    /// Its workload.
    pub workload: String,
    /// Index of its cell.
    pub cell: u32,
    /// Kind of failure; `None` when there is no record at all.
    pub kind: Option<FailureKind>,
    /// The error in words; empty when there is no record.
    pub error: String,
}

/// One workload, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkloadAnalysis {
    /// Its name.
    pub name: String,
    /// Times are judged.
    pub timing: bool,
    /// Answers are scored.
    pub quality: bool,
    /// Each arm ran once (a deterministic quality workload).
    pub once: bool,
    /// Blocks with at least one finished run.
    pub blocks: u32,
    /// Cells that this workload cannot tell apart and that share their runs.
    pub merged: Vec<MergedCells>,
    /// Metrics: primary ones first, in the plan's order, then the others by name.
    pub metrics: Vec<MetricAnalysis>,
    /// Token identity along each edge.
    pub agreement: Vec<Agreement>,
    /// Whether repeats of one cell gave identical tokens.
    pub determinism: Vec<Determinism>,
    /// What a reader must know (repeats that differ, gaps, missing runs).
    pub warnings: Vec<String>,
    /// Inference servers of others that ran meanwhile, each as `llama-server, pid 4711`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
}

/// Cells that share one arm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergedCells {
    /// The cell whose settings ran.
    pub runs_as: u32,
    /// All cells that it stands for, itself included.
    pub cells: Vec<u32>,
}

/// Share of items whose tokens are identical on both sides of an edge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agreement {
    /// Cell before.
    pub before: u32,
    /// Cell after.
    pub after: u32,
    /// The field that varies.
    pub field: Field,
    /// Identical replies; `None` when it is undefined.
    pub identical: Option<u32>,
    /// Items on both sides.
    pub items: u32,
    /// Why it is undefined (`tokenizer differs`, `no ids`).
    pub reason: Option<String>,
}

/// Whether the repeated runs of one cell gave the same tokens.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Determinism {
    /// The cell.
    pub cell: u32,
    /// Finished runs that were compared (control included at the baseline).
    pub runs: u32,
    /// Items of a run.
    pub items: u32,
    /// Items whose tokens, or the log-likelihoods of whose options, differ between runs; more than 0 is "repeat differs".
    pub differing: u32,
    /// Options were scored by log-likelihood, and nothing was generated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_likelihood: bool,
}

/// The smallest quality difference a task set can show, in percentage points.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QualityResolution {
    /// Items.
    pub n: u32,
    /// Share of correct answers that it was computed at (the baseline's, after the fact).
    pub at: f64,
    /// Unpaired: `2.8 sqrt(2 p (1 - p) / n)`; `None` where that is more than 100 points, so that nothing can be shown.
    pub unpaired: Option<f64>,
    /// Paired, from the mean discordant share of the edges; `None` before any pair was seen, and above 100 points.
    pub paired: Option<f64>,
    /// Below 30 items the formula does not hold.
    pub below_formula_size: bool,
    /// Exact smallest drop seen four times in five when all flips go one way; `None` is "never". Below 30 items.
    pub exact: Option<f64>,
    /// In words.
    pub sentence: String,
}

/// A planned edge that may not be judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RefusedEdge {
    /// Workload whose records were compared.
    pub workload: String,
    /// Cell before.
    pub before: u32,
    /// Cell after.
    pub after: u32,
    /// The field that the plan meant to vary.
    pub planned: Field,
    /// Why.
    pub refusal: Refusal,
}

/// Pairs of cells that the plan never meant to compare.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct NotCompared {
    /// How many there are.
    pub total: u64,
    /// The first of them.
    pub listed: Vec<Unplanned>,
}

/// A pair of cells that is not an edge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unplanned {
    /// One cell.
    pub before: u32,
    /// The other.
    pub after: u32,
    /// The fields in which they differ.
    pub fields: Vec<Field>,
}
