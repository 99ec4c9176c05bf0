//! After the verdicts: what a person reads. Numbers become a plain view, the view becomes markdown, HTML and JSON.
//! Nothing here runs, judges or reads a clock: the same records give the same bytes.

pub mod plot;
