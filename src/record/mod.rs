//! What is kept of a run, and where: the record's types and the store. Nothing here measures or judges.

mod run_record;

pub use crate::plan::{ArmKind, PlanIdentity, Slot};
pub use run_record::{Context, FORMAT, FailureKind, Item, Measured, Outcome, RunRecord};
