//! Tests that need more than this repository: what they need is named by environment variables.

use std::io::Write as _;

/// Variable that names those which must be set, with blanks between: where one is missing the test fails instead of being skipped.
const REQUIRED: &str = "PLANRUN_TEST_REQUIRED";

/// The values of the variables; where one is not set, it is said that the test was skipped.
pub(crate) fn named<const N: usize>(variables: [&str; N]) -> Option<[String; N]> {
    let values = variables.map(|variable| std::env::var(variable).ok().filter(|value| !value.is_empty()));
    let missing: Vec<&str> = variables
        .into_iter()
        .zip(&values)
        .filter(|(_, value)| value.is_none())
        .map(|(name, _)| name)
        .collect();
    if missing.is_empty() {
        return Some(values.map(Option::unwrap_or_default));
    }
    let required = std::env::var(REQUIRED).unwrap_or_default();
    let demanded = required.split(' ').find(|required| variables.contains(required));
    assert!(demanded.is_none(), "{REQUIRED} demands this test, and {} is not set", missing.join(", "));
    skipped(&format!("{} is not set", missing.join(", ")));
    None
}

/// Says that the test of this thread was skipped: on standard error itself, which the harness does not hold back.
pub(crate) fn skipped(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().filter(|name| *name != "main").unwrap_or("a test");
    let _ = writeln!(std::io::stderr(), "skipped: {test} ({reason})");
}
