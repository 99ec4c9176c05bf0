//! What may be claimed about one difference. There is no other word than these; "likely" is not a verdict.

use crate::condition::Field;
use serde::Serialize;
use std::fmt;

/// The verdict on one edge, factor effect or interaction of a primary metric.
///
/// In JSON: `{"verdict": "within_noise", "up_to": 1.7, ...}`. Differences are in the unit of the metric's deltas.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// The simultaneous interval excludes zero.
    Established {
        /// The declared margin, when the whole interval also lies inside it: established, smaller than your margin.
        smaller_than_margin: Option<f64>,
    },
    /// The whole interval lies inside the declared margin.
    Equivalent {
        /// The declared margin.
        margin: f64,
    },
    /// Neither: differences up to a size are not ruled out.
    WithinNoise {
        /// The end of the interval that lies further from zero, with its sign.
        up_to: f64,
        /// The estimate itself lies beyond the floor that stands beside it: the words for that are `undecided`.
        beyond_floor: bool,
        /// About how many more blocks would establish a difference as large as the one seen; `None` for metrics whose
        /// unit is the item, or when no number of blocks below a thousand would.
        more_blocks: Option<u32>,
        /// About how many minutes they would take.
        more_minutes: Option<f64>,
    },
    /// Not testable.
    Unresolved {
        /// Why.
        reason: Reason,
    },
    /// Nothing varies: a repetition, not a comparison.
    Repeatability,
    /// The unit of the metric is not the same on both sides (tokens of two tokenizers).
    UnitChanged {
        /// Which field changed the unit.
        field: Field,
        /// Metrics to read instead.
        instead: Vec<String>,
    },
    /// More than one controlled field varies, or not the planned one.
    Refused {
        /// The fields that vary (or are unknown).
        fields: Vec<Field>,
    },
    /// Runs are missing.
    Incomplete {
        /// The missing runs by name.
        missing: Vec<String>,
    },
}

/// Why a difference cannot be tested.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Reason {
    /// Fewer than six blocks: intervals only.
    TooFewBlocks {
        /// Complete blocks.
        blocks: u32,
    },
    /// The control arm differed from the baseline that it repeats.
    PlaceboFailed,
    /// An arm lost more than 20 % of its runs.
    ArmMissing {
        /// Label of the cell.
        cell: String,
    },
    /// So few items changed that no outcome could have been significant in this family.
    TooFewChanged {
        /// Items whose answer changed.
        changed: u32,
    },
    /// Fewer than six independent clusters.
    TooFewClusters {
        /// Clusters.
        clusters: u32,
    },
    /// The parallel edges disagree in sign or size: the pooled effect is withheld.
    EdgesDisagree,
    /// No item was scored on both sides, or nothing was measured.
    NothingMeasured,
    /// The statistics could not be computed; the words say why.
    Other {
        /// In words.
        words: String,
    },
}

impl Verdict {
    /// The verdict's word: `established`, `equivalent`, `within noise` (`undecided` where the estimate lies beyond the
    /// floor), ...
    pub fn word(&self) -> &'static str {
        match self {
            Self::Established { .. } => "established",
            Self::Equivalent { .. } => "equivalent",
            Self::WithinNoise { beyond_floor: true, .. } => "undecided",
            Self::WithinNoise { .. } => "within noise",
            Self::Unresolved { .. } => "unresolved",
            Self::Repeatability => "repeatability",
            Self::UnitChanged { .. } => "unit changed",
            Self::Refused { .. } => "refused",
            Self::Incomplete { .. } => "incomplete",
        }
    }

    /// What more blocks might bring, in words; `None` where nothing is known of it.
    pub fn outlook(&self) -> Option<String> {
        let Self::WithinNoise { more_blocks: Some(blocks), more_minutes, .. } = self else { return None };
        let noun = if *blocks == 1 { "block" } else { "blocks" };
        let price =
            more_minutes.map_or_else(String::new, |minutes| format!(" (about {})", duration(minutes)));
        Some(format!("{blocks} more {noun}{price} might decide it, if the difference stays as seen"))
    }
}

/// `8 s`, `4 minutes`, `2.5 hours`.
fn duration(minutes: f64) -> String {
    match minutes {
        minutes if minutes < 1.5 => format!("{:.0}\u{a0}s", (60.0 * minutes).max(1.0)),
        minutes if minutes < 90.0 => format!("{minutes:.0}\u{a0}minutes"),
        minutes => format!("{:.1}\u{a0}hours", minutes / 60.0),
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewBlocks { blocks } => {
                write!(f, "{blocks} blocks give intervals only; a verdict needs at least 6")
            }
            Self::PlaceboFailed => {
                f.write_str("placebo failed: the baseline differs from its own repetition")
            }
            Self::ArmMissing { cell } => write!(f, "more than 20 % of the runs of `{cell}` are missing"),
            Self::TooFewChanged { changed } => match changed {
                1 => f.write_str("cannot be decided: 1 item changed"),
                _ => write!(f, "cannot be decided: {changed} items changed"),
            },
            Self::TooFewClusters { clusters } => {
                write!(f, "{clusters} independent groups; a test needs at least 6")
            }
            Self::EdgesDisagree => f.write_str("the parallel edges disagree: no single effect"),
            Self::NothingMeasured => f.write_str("nothing was measured on both sides"),
            Self::Other { words } => f.write_str(words),
        }
    }
}
