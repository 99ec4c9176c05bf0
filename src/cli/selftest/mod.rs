//! `planrun selftest`: simulated plans through the real order and the real statistics, and some of them from a plan file
//! through the store to `report.json`.
//! Also what the client that hears streams adds to their times (`streams`).
//! `command -> end_to_end (rehearsal: plan_text, paced_engine; then differences)`.

mod command;
mod differences;
mod end_to_end;
mod paced_engine;
mod plan_text;
mod rehearsal;
mod streams;

pub(super) use command::{SelftestArguments, run};
pub use differences::differences;
pub use end_to_end::{EndToEnd, rehearse, spread};
pub use rehearsal::{Rehearsal, RehearsalError};
pub(super) use streams::{StreamServerArguments, serve};
