//! Tests that need more than this repository: what they need is named by environment variables.

use std::io::Write as _;

/// Where this is set nothing may be skipped: what would be, fails.
const REQUIRED: &str = "PLANRUN_TEST_REQUIRED";

/// The values of the variables; where one is not set, it is said that the test was skipped.
pub(crate) fn named<const N: usize>(variables: [&str; N]) -> Option<[String; N]> {
    let value = |variable: &str| std::env::var(variable).ok().filter(|value| !value.is_empty());
    let missing: Vec<&str> = variables.into_iter().filter(|variable| value(variable).is_none()).collect();
    if !missing.is_empty() {
        skipped(&format!("not set: {}", missing.join(", ")));
        return None;
    }
    Some(variables.map(|variable| value(variable).unwrap_or_default()))
}

/// Says that the test of this thread was skipped: on standard error itself, which the harness does not hold back.
pub(crate) fn skipped(reason: &str) {
    assert!(std::env::var_os(REQUIRED).is_none(), "it would be skipped ({reason}), and {REQUIRED} is set");
    let thread = std::thread::current();
    let test = thread.name().filter(|name| *name != "main").unwrap_or("a test");
    let _ = writeln!(std::io::stderr(), "skipped: {test} ({reason})");
}
