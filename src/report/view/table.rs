//! A table of words, capped so that a report stays readable.

use serde::Serialize;

/// Rows beyond this number are told by their count; all of them are in `report.json`.
pub(super) const MAX_ROWS: usize = 100;

/// Headings and rows, ready to be laid out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Table {
    /// What the table shows.
    pub caption: String,
    /// Column headings.
    pub head: Vec<String>,
    /// Cells of each row, as many as there are headings.
    pub rows: Vec<Vec<String>>,
    /// Number of rows that were left out.
    pub more: usize,
}

impl Table {
    /// A table of at most [`MAX_ROWS`] rows.
    pub(super) fn new(caption: &str, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let mut rows: Vec<_> = rows.into_iter().collect();
        let more = rows.len().saturating_sub(MAX_ROWS);
        rows.truncate(MAX_ROWS);
        Self { caption: caption.into(), head: head.iter().map(ToString::to_string).collect(), rows, more }
    }

    /// The table, if it has a row.
    pub(super) fn filled(self) -> Option<Self> {
        if self.rows.is_empty() { None } else { Some(self) }
    }
}
