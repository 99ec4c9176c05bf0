//! After: records are laid side by side. The guard says which controlled fields vary and licenses or refuses a
//! delta; the statistics weigh it; the verdict says what may be claimed. Nothing here runs, prints or draws.

mod analysis;
mod findings;
mod refusal;
mod verdict;

pub use analysis::{
    Agreement, AnalysedFactor, Analysis, CellSummary, Coverage, Determinism, MergedCells, MissingRun,
    NotCompared, QualityResolution, RefusedEdge, Shown, Unplanned, WorkloadAnalysis,
};
pub use findings::{
    Bounds, CellValue, Clipping, CountOf, DeltaUnit, Direction, EdgeFinding, Faces, FactorFinding,
    InteractionFinding, MetricAnalysis, NoiseFloor, Placebo, Replication, RunPoint, Spread,
};
pub use refusal::{Refusal, RefusalRow, RenderChange, TaskChange, TaskChanges};
pub use verdict::{Reason, Verdict};
