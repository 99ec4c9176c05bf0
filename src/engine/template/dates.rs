//! `strftime_now`: the only thing a template can learn of the world outside. The day stands still for a whole plan.

use minijinja::{Environment, Error, ErrorKind};
use time::macros::time;
use time::{Date, PrimitiveDateTime};

/// Lets a template ask for this day; its time of day is noon.
pub(super) fn install(environment: &mut Environment<'_>, day: Date) {
    environment.add_function("strftime_now", move |format: &str| strftime(day, format));
}

fn strftime(day: Date, format: &str) -> Result<String, Error> {
    let bad = |problem: String| Error::new(ErrorKind::InvalidOperation, format!("strftime_now: {problem}"));
    let items = time::format_description::parse_strftime_owned(format).map_err(|e| bad(e.to_string()))?;
    PrimitiveDateTime::new(day, time!(12:00)).format(&items).map_err(|e| bad(e.to_string()))
}
