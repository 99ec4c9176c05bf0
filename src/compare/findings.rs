//! What was found for one metric of one workload. Deltas are after minus before, in [`MetricAnalysis::delta_unit`].

use super::spec::Spec;
use super::{QualityResolution, Verdict};
use crate::condition::Field;
use serde::Serialize;

/// One metric of one workload, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricAnalysis {
    /// Name in records (`decode_tok_s`).
    pub metric: String,
    /// In words, for headings (`decode tokens/s`).
    pub title: String,
    /// Unit of its values.
    pub unit: String,
    /// Id of its definition (`decode_tok_s/1`).
    pub definition: String,
    /// Which direction is better.
    pub direction: Direction,
    /// Declared primary: it has verdicts. Others are exploratory: intervals only.
    pub primary: bool,
    /// Unit of all deltas, intervals, floors and margins here.
    pub delta_unit: DeltaUnit,
    /// What is replicated: blocks of runs, or items.
    pub replication: Replication,
    /// Error shared by all tests of this metric's edges; intervals have this simultaneous error.
    pub alpha: f64,
    /// Declared equivalence margin, as `[low, high]`.
    pub margin: Option<[f64; 2]>,
    /// Number of blocks with runs (timing), or of items on both sides (item metrics).
    pub n: u32,
    /// Values of each arm (the control last, marked), in the order of cells.
    pub cells: Vec<CellValue>,
    /// Pooled effects of the factors: the first table of a report.
    pub factors: Vec<FactorFinding>,
    /// Planned edges.
    pub edges: Vec<EdgeFinding>,
    /// Interactions averaged over parallel faces, judged at half the alpha.
    pub interactions: Vec<InteractionFinding>,
    /// Single 2 x 2 faces, exploratory.
    pub faces: Faces,
    /// The A/A control against the baseline that it repeats.
    pub placebo: Option<Placebo>,
    /// Smallest difference that this plan could have established.
    pub floor: Option<NoiseFloor>,
    /// Spread of the baseline's identical runs: the floor for anyone who compares two single runs.
    pub repeats: Option<Spread>,
    /// Smallest quality difference that could be seen; quality only.
    pub resolution: Option<QualityResolution>,
    /// Clipped shares, where runs were clipped.
    pub clipping: Option<Clipping>,
    /// Every arm repeated one identical value: differences without p and without verdict.
    pub did_not_vary: bool,
    /// All runs in the order of time, for the drift plot; timing metrics only.
    pub runs: Vec<RunPoint>,
    /// What a reader of the numbers must know.
    pub warnings: Vec<String>,
}

impl MetricAnalysis {
    /// A metric of which nothing has been computed yet.
    pub(super) fn empty(spec: &Spec, primary: bool, alpha: f64, margin: Option<[f64; 2]>) -> Self {
        Self {
            metric: spec.name.clone(),
            title: spec.title(),
            unit: spec.unit.clone(),
            definition: spec.definition.clone(),
            direction: spec.direction,
            primary,
            delta_unit: spec.scale.unit(),
            replication: spec.replication(),
            alpha,
            margin,
            n: 0,
            cells: Vec::new(),
            factors: Vec::new(),
            edges: Vec::new(),
            interactions: Vec::new(),
            faces: Faces::default(),
            placebo: None,
            floor: None,
            repeats: None,
            resolution: None,
            clipping: None,
            did_not_vary: false,
            runs: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// Which direction is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Larger is better.
    HigherIsBetter,
    /// Smaller is better.
    LowerIsBetter,
    /// Neither.
    Neutral,
}

/// Unit of a delta.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaUnit {
    /// Per cent of the value before (metrics judged on the log scale).
    Percent,
    /// Percentage points (shares).
    Points,
    /// The metric's own unit.
    Own,
}

/// What is replicated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Replication {
    /// The block of runs.
    Block,
    /// The item (task), or the cluster of items.
    Item,
}

/// `k` of `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CountOf {
    /// Successes.
    pub k: u32,
    /// Trials.
    pub n: u32,
}

/// One arm's value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellValue {
    /// Index of the cell.
    pub cell: u32,
    /// True for the A/A control.
    pub control: bool,
    /// Robust typical value (timing) or mean over items, in the metric's unit; `None` when nothing was measured.
    pub value: Option<f64>,
    /// Plain mean of the runs, nothing clipped; timing only.
    pub plain_mean: Option<f64>,
    /// Smallest and largest run; timing only.
    pub range: Option<[f64; 2]>,
    /// Runs (timing) or items that it rests on.
    pub n: u32,
    /// Runs clipped of runs; timing only.
    pub clipped: Option<CountOf>,
    /// `k/n` of a share.
    pub count: Option<CountOf>,
    /// Why there is no value.
    pub reason: Option<String>,
}

/// An interval of a delta.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Simultaneous over the family (it decides the verdict), or of this delta alone (exploratory).
    pub simultaneous: bool,
    /// Level in per cent (95 for a family error of 0.05).
    pub level: f64,
    /// An end at zero is open: zero is excluded.
    pub open_at_zero: bool,
}

/// A planned edge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EdgeFinding {
    /// Cell of the lower level.
    pub before: u32,
    /// Cell of the higher level.
    pub after: u32,
    /// The one field that varies.
    pub field: Field,
    /// Level before, in words.
    pub from: String,
    /// Level after, in words.
    pub to: String,
    /// What both cells share (`thinking=true max_tokens=64`); empty for a grid of one factor.
    pub at: String,
    /// Fields that vary as a consequence.
    pub implied: Vec<Field>,
    /// The difference, after minus before.
    pub delta: Option<f64>,
    /// Its interval.
    pub interval: Option<Bounds>,
    /// Unadjusted p.
    pub p: Option<f64>,
    /// p adjusted for the family; primary metrics only.
    pub adjusted_p: Option<f64>,
    /// Degrees of freedom; timing only.
    pub df: Option<f64>,
    /// Blocks, or items on both sides.
    pub n: u32,
    /// Items that changed for the better and for the worse (binary quality).
    pub changed: Option<[u32; 2]>,
    /// Runs clipped of both arms' runs; timing only.
    pub clipped: Option<CountOf>,
    /// Smallest difference that this edge could show: noise floor (timing) or resolution (quality). A resolution of more
    /// than 100 points is `None`, and a remark says so.
    pub floor: Option<f64>,
    /// The verdict; `None` for exploratory metrics and for values that did not vary.
    pub verdict: Option<Verdict>,
    /// Remarks that belong beside the verdict.
    pub remarks: Vec<String>,
    /// All of it in one line.
    pub sentence: String,
}

/// The effect of one step of a factor, pooled over parallel edges.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FactorFinding {
    /// Name of the factor.
    pub factor: String,
    /// The field that it varies.
    pub field: Field,
    /// Level before, in words.
    pub from: String,
    /// Level after, in words.
    pub to: String,
    /// Number of parallel edges.
    pub edges: u32,
    /// The mean difference; `None` when it is withheld or cannot be computed.
    pub delta: Option<f64>,
    /// Its interval; `None` when it is withheld.
    pub interval: Option<Bounds>,
    /// Unadjusted p.
    pub p: Option<f64>,
    /// p adjusted for the family of factor effects.
    pub adjusted_p: Option<f64>,
    /// Standard deviation of the true differences over the edges, beyond noise.
    pub tau: Option<f64>,
    /// Smallest and largest difference of an edge.
    pub range: Option<[f64; 2]>,
    /// Chi-square p for "all edges have the same difference".
    pub heterogeneity_p: Option<f64>,
    /// True when the edges disagree and the pooled effect must not be quoted.
    pub withheld: bool,
    /// The parallel edges: their places in [`MetricAnalysis::edges`].
    pub parallel: Vec<u32>,
    /// How many of them differ in their replies: the others repeat the same replies on both sides. Item metrics only.
    pub distinct: Option<u32>,
    /// What their disagreement hangs on, where the effect is withheld and one other factor accounts for it.
    pub split: Option<Split>,
    /// The verdict; `None` for exploratory metrics.
    pub verdict: Option<Verdict>,
    /// All of it in one line.
    pub sentence: String,
}

/// The other factor that the disagreement of parallel edges hangs on: an interaction with it is established, and its
/// levels account for most of the spread of the edges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Split {
    /// Name of that factor.
    pub by: String,
    /// Its levels, those with the same outcome together.
    pub groups: Vec<SplitGroup>,
}

/// The parallel edges at some levels of the factor that splits them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SplitGroup {
    /// The levels in words.
    pub levels: Vec<String>,
    /// Places in [`MetricAnalysis::edges`].
    pub edges: Vec<u32>,
}

/// Difference of differences of two factors' steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InteractionFinding {
    /// The first factor, its level before and after.
    pub first: [String; 3],
    /// The second factor, its level before and after.
    pub second: [String; 3],
    /// What all four cells share; empty for the average over parallel faces.
    pub at: String,
    /// Number of parallel faces averaged (1 for a single face).
    pub faces: u32,
    /// Cells: both at the first level, first changed, second changed, both changed; empty for an average.
    pub cells: Vec<u32>,
    /// The difference of differences.
    pub delta: Option<f64>,
    /// Its interval.
    pub interval: Option<Bounds>,
    /// Unadjusted p.
    pub p: Option<f64>,
    /// p adjusted for the family of interactions.
    pub adjusted_p: Option<f64>,
    /// The verdict; `None` where exploratory.
    pub verdict: Option<Verdict>,
    /// All of it in one line.
    pub sentence: String,
}

/// Single faces, capped.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Faces {
    /// How many there are.
    pub total: u32,
    /// The first of them.
    pub listed: Vec<InteractionFinding>,
}

/// The A/A control against the baseline that it repeats.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Placebo {
    /// The baseline's cell.
    pub cell: u32,
    /// Control minus baseline.
    pub delta: f64,
    /// Unadjusted interval.
    pub interval: Bounds,
    /// Unadjusted p.
    pub p: f64,
    /// True when p is below 0.05 over the number of primary metrics: no verdict for this metric.
    pub failed: bool,
}

/// The smallest difference that the plan could have established.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NoiseFloor {
    /// Half-width of an edge's simultaneous interval by the common noise.
    pub value: f64,
    /// Difference that would be established four times in five.
    pub detectable: f64,
    /// Blocks behind it.
    pub blocks: u32,
    /// Degrees of freedom behind it.
    pub df: f64,
}

/// Spread of identical runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// Robust standard deviation of one run, in the unit of the deltas.
    pub robust_sd: f64,
    /// Smallest and largest run as differences from their median, in the unit of the deltas.
    pub range: [f64; 2],
    /// Runs.
    pub n: u32,
}

/// How many runs the robust fit clipped.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Clipping {
    /// Over all arms.
    pub all: CountOf,
    /// p of "all arms are clipped equally often" (permutation within blocks), where it was tested.
    pub p: Option<f64>,
    /// True when the shares differ (p < .01): typical speeds flatter the arms with more clipped runs.
    pub differs: bool,
}

/// One run, for the plot over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunPoint {
    /// Place in time: 0 is the first run of the workload.
    pub order: u32,
    /// Block.
    pub block: u32,
    /// Index of the cell.
    pub cell: u32,
    /// True for the A/A control.
    pub control: bool,
    /// Value in the metric's unit.
    pub value: f64,
    /// The robust fit clipped it.
    pub clipped: bool,
}
