//! `[compare]`: which cells are compared, on which metrics, how strictly.

use crate::condition::Field;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Which cells are compared, on which metrics, how strictly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Compare {
    /// The baseline cell: a level for each factor; a factor left out takes its first level.
    #[schemars(schema_with = "super::schema::levels_by_factor")]
    pub baseline: Map<String, Value>,
    /// Which pairs of cells are compared; each differs in one factor.
    pub pairs: Pairs,
    /// Primary metrics of each workload, by the workload's name. Only these get a verdict. Left out: `decode_tok_s` and
    /// `ttft` where times are judged, `quality` where answers are scored.
    pub metrics: BTreeMap<String, Vec<String>>,
    /// Share of reports with a false claim that is tolerated, shared among the primary metrics.
    #[schemars(range(min = 0.0001, max = 0.5))]
    pub alpha: f64,
    /// Equivalence margins by metric, as fractions: 0.03 is 3 % of a rate or a time, 3 points of a share.
    #[schemars(schema_with = "super::schema::margins")]
    pub margins: BTreeMap<String, f64>,
    /// Controlled fields that nothing could read and that you assert to be equal. The report prints them.
    pub assume: Vec<Field>,
}

impl Default for Compare {
    fn default() -> Self {
        Self {
            baseline: Map::new(),
            pairs: Pairs::default(),
            metrics: BTreeMap::new(),
            alpha: 0.05,
            margins: BTreeMap::new(),
            assume: Vec::new(),
        }
    }
}

/// Which pairs of cells are compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Pairs {
    /// By a rule.
    Rule(PairRule),
    /// Exactly these.
    List(Vec<Pair>),
}

impl Default for Pairs {
    fn default() -> Self {
        Self::Rule(PairRule::Star)
    }
}

/// A rule that picks pairs of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PairRule {
    /// Each level against its factor's first, in every line of the grid.
    Star,
    /// Each level against the one before it, in every line of the grid.
    Neighbours,
    /// Only the pairs that contain the baseline.
    Baseline,
    /// Every two levels of a factor, in every line of the grid.
    All,
}

/// Two cells, each by its levels; a factor left out takes the baseline's level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The cell that is compared against.
    #[schemars(schema_with = "super::schema::levels_by_factor")]
    pub before: Map<String, Value>,
    /// The cell that is compared.
    #[schemars(schema_with = "super::schema::levels_by_factor")]
    pub after: Map<String, Value>,
}
