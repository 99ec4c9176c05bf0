//! Tests that need more than this repository: what they need is named by environment variables.

use std::io::Write as _;

/// The values of the variables; where one is not set, says on standard error (which the test harness does not hold back) that the
/// test was skipped.
pub(crate) fn named<const N: usize>(variables: [&str; N]) -> Option<[String; N]> {
    let values = variables.map(|variable| std::env::var(variable).ok().filter(|value| !value.is_empty()));
    if values.iter().any(Option::is_none) {
        let _ = writeln!(std::io::stderr(), "skipped, because it is not set: {}", variables.join(", "));
        return None;
    }
    Some(values.map(Option::unwrap_or_default))
}
