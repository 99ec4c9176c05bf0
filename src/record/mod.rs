//! What is kept of a run, and where: the record's types and the store. Nothing here measures or judges.

mod run_record;

pub use run_record::{
    ArmKind, Context, FORMAT, FailureKind, Item, Measured, Outcome, PlanIdentity, RunRecord, Slot,
};
