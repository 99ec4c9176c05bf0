//! Tasks, task sets and scorers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a final answer is judged. Only the answer after the reasoning is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scorer {
    /// Equal to an expected string after trimming white space.
    Exact,
    /// Contains an expected string.
    Contains,
    /// Matches an expected regular expression.
    Regex,
    /// The last number equals the expected number.
    Numeric,
    /// The chosen letter or option equals the expected one.
    Choice,
}
