//! A day as plans and records write it.

use time::Date;
use time::macros::format_description;

/// Reads `2026-11-30`; `None` if it is no day.
pub fn parse_day(text: &str) -> Option<Date> {
    Date::parse(text, format_description!("[year]-[month]-[day]")).ok()
}

/// Writes `2026-11-30`.
pub fn written_day(day: Date) -> String {
    let (year, month, day) = day.to_calendar_date();
    format!("{year:04}-{:02}-{day:02}", u8::from(month))
}
