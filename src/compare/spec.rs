//! How a metric is judged: its entry of the catalogue, turned into a scale.

use super::findings::{DeltaUnit, Direction, Replication};
use crate::measure::{self, Better};
use crate::record::Measured;
use crate::stats::log_difference_as_percent;

/// A metric as the comparison sees it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spec {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) definition: String,
    pub(super) direction: Direction,
    pub(super) replication: Unit,
    pub(super) scale: Scale,
}

/// What repeats independently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Block,
    Item,
    Nothing,
}

/// The scale that differences are taken on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// Logarithms; differences are shown as per cent.
    Log,
    /// Shares; differences are shown as percentage points.
    Share,
    /// The metric's own unit.
    Own,
}

impl Scale {
    /// From the metric's value to the judged scale; `None` where the logarithm does not exist.
    pub(super) fn judged(self, value: f64) -> Option<f64> {
        let judged = if self == Self::Log { value.ln() } else { value };
        judged.is_finite().then_some(judged)
    }

    /// The largest difference that there can be, in the unit that is shown.
    pub(super) fn limit(self) -> f64 {
        if self == Self::Share { 100.0 } else { f64::INFINITY }
    }

    /// From the judged scale back to the metric's value.
    pub(super) fn value(self, judged: f64) -> f64 {
        if self == Self::Log { judged.exp() } else { judged }
    }

    /// A difference on the judged scale in the unit that is shown.
    pub(super) fn shown(self, difference: f64) -> f64 {
        match self {
            Self::Log => log_difference_as_percent(difference),
            Self::Share => 100.0 * difference,
            Self::Own => difference,
        }
    }

    /// A shown difference back on the judged scale.
    pub(super) fn judged_difference(self, shown: f64) -> f64 {
        match self {
            Self::Log => (shown / 100.0).ln_1p(),
            Self::Share => shown / 100.0,
            Self::Own => shown,
        }
    }

    pub(super) fn unit(self) -> DeltaUnit {
        match self {
            Self::Log => DeltaUnit::Percent,
            Self::Share => DeltaUnit::Points,
            Self::Own => DeltaUnit::Own,
        }
    }

    /// A declared margin (a fraction) as `[low, high]` in the shown unit.
    pub(super) fn margin(self, fraction: f64) -> [f64; 2] {
        let size = if self == Self::Own { fraction } else { 100.0 * fraction };
        [-size, size]
    }
}

impl Spec {
    /// The catalogue's entry; for a metric that it does not have, what the record itself says.
    pub(super) fn of(name: &str, measured: Option<&Measured>) -> Self {
        match measure::metric(name) {
            Some(metric) => Self::catalogued(metric),
            None => Self {
                name: name.to_owned(),
                unit: measured.map_or_else(String::new, |measured| measured.unit.clone()),
                definition: measured.map_or_else(String::new, |measured| measured.definition.clone()),
                direction: Direction::Neutral,
                replication: Unit::Nothing,
                scale: Scale::Own,
            },
        }
    }

    fn catalogued(metric: &measure::Metric) -> Self {
        Self {
            name: metric.name.to_owned(),
            unit: metric.unit.to_owned(),
            definition: metric.definition.to_owned(),
            direction: match metric.better {
                Better::Higher => Direction::HigherIsBetter,
                Better::Lower => Direction::LowerIsBetter,
                Better::Neither => Direction::Neutral,
            },
            replication: match metric.replication {
                measure::Replication::Block => Unit::Block,
                measure::Replication::Item => Unit::Item,
                measure::Replication::None => Unit::Nothing,
            },
            scale: match (metric.log, metric.unit) {
                (true, _) => Scale::Log,
                (false, "share") => Scale::Share,
                (false, _) => Scale::Own,
            },
        }
    }

    /// True for a metric that counts tokens: it means nothing across tokenizers.
    pub(super) fn counts_tokens(&self) -> bool {
        self.unit.contains("tok") || matches!(self.name.as_str(), "itl" | "icl")
    }

    /// Name without the underscore, for headings and sentences.
    pub(super) fn title(&self) -> String {
        match self.name.as_str() {
            "decode_tok_s" => "decode".into(),
            "prefill_tok_s" => "prefill".into(),
            other => other.replace('_', " "),
        }
    }

    pub(super) fn replication(&self) -> Replication {
        if self.replication == Unit::Item { Replication::Item } else { Replication::Block }
    }

    /// What to read instead where the tokenizer changes.
    pub(super) fn instead() -> Vec<String> {
        vec!["chars_per_s".into(), "full_reply_s".into()]
    }
}
