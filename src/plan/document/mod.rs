//! The plan file as types: what may be written in TOML, with the docs that editors show. Only shapes stand here; what a
//! plan means is worked out in `grid`, `graph` and `schedule`.

mod compare;
mod grid;
mod header;
mod schema;
mod settings;
mod workload;

pub use compare::{Compare, Pair, PairRule, Pairs};
pub use grid::{GridTable, NAME_KEY};
pub use header::{Header, Plan, Report, Schedule};
pub use schema::plan_schema;
pub use settings::{SettingsTable, field_of_key, settings_keys};
pub use workload::WorkloadTable;
