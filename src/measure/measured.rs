//! A metric of a run: a value, or the reason why there is none.

use super::Metric;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A metric of a run. Not measured is `null` with a reason: never 0, never NaN.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// The value, in `unit`.
    pub value: Option<f64>,
    /// Why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Over how many items or samples.
    pub n: u64,
    /// Unit.
    pub unit: String,
    /// Id of the definition, versioned (`decode_tok_s/1`).
    pub definition: String,
}

impl Measured {
    /// A value over `n` items or samples. A value that is no finite number is not measured.
    pub fn of(metric: &Metric, value: f64, n: usize) -> Self {
        if value.is_finite() {
            Self { value: Some(value), reason: None, n: n as u64, ..Self::empty(metric) }
        } else {
            Self::missing(metric, "the value is no finite number")
        }
    }

    /// Not measured, and why.
    pub fn missing(metric: &Metric, reason: &str) -> Self {
        Self { reason: Some(reason.to_owned()), ..Self::empty(metric) }
    }

    fn empty(metric: &Metric) -> Self {
        Self {
            value: None,
            reason: None,
            n: 0,
            unit: metric.unit.to_owned(),
            definition: metric.definition.to_owned(),
        }
    }
}
