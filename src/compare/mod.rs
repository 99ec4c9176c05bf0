//! After: records are laid side by side. The guard says which controlled fields vary and licenses or refuses a
//! delta; the statistics weigh it; the verdict says what may be claimed. Nothing here runs, prints or draws.

mod analyse;
mod analysis;
mod arms;
mod case;
mod cells;
mod decide;
mod edge_family;
mod edges;
mod explanation;
mod factors;
mod findings;
mod guard;
mod identity;
mod interactions;
mod items;
mod made;
mod one_sided;
mod pair;
mod parallel;
mod quality;
mod quality_edges;
mod quality_faces;
mod quality_pooled;
mod refusal;
mod refusal_text;
mod remedy;
mod sentence;
mod spec;
mod task_changes;
mod timing;
mod verdict;

pub use analyse::analyse;
pub use analysis::{
    Agreement, AnalysedFactor, Analysis, CellSummary, Coverage, Determinism, MergedCells, MissingRun,
    NotCompared, QualityResolution, RefusedEdge, Shown, Unplanned, WorkloadAnalysis,
};
pub use explanation::{ExplainedField, Explanation, FieldFinding, Step, explain};
pub use findings::{
    Bounds, CellValue, Clipping, CountOf, DeltaUnit, Direction, EdgeFinding, Faces, FactorFinding,
    InteractionFinding, MetricAnalysis, NoiseFloor, Placebo, Replication, RunPoint, Split, SplitGroup,
    Spread,
};
pub use guard::{License, license, license_planned};
pub use made::Made;
pub use pair::{PairComparison, PairDelta, compare_pair};
pub use refusal::{Refusal, RefusalRow, RenderChange, TaskChange, TaskChanges};
pub use verdict::{Reason, Verdict};
