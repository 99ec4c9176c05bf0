//! Before: TOML text becomes cells, a comparison graph and a schedule. Pure but for reading the plan's own files: nothing
//! here runs, measures or opens a model. `prepare` is the way in: document -> levels -> grid -> graph -> schedule.

mod collapse;
mod document;
mod error;
mod graph;
mod grid;
mod identity;
mod levels;
mod metrics;
mod planned;
mod prepare;
mod price;
mod runs;
mod schedule;
mod schema_walk;
mod sense;
mod slot;
mod source;
mod validate;
mod writer;

pub use document::{
    Compare, GridTable, Header, NAME_KEY, Pair, PairRule, Pairs, Plan, Report, Schedule, SettingsTable,
    WorkloadTable, field_of_key, plan_schema, settings_keys,
};
pub use error::{Place, PlanError, PlanErrors};
pub use metrics::metric_names;
pub use planned::{
    Cell, ComparisonGraph, Factor, Planned, PlannedEdge, PlannedRun, PlannedTasks, PlannedWorkload,
};
pub use prepare::{prepare, prepare_text};
pub use price::{CostTable, Price, detectable, price, quality_resolution};
pub use slot::{ArmKind, PlanIdentity, Slot};
