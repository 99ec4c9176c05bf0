//! Simulated plans: the real order and the real statistics on noise of known kinds (`planrun selftest`).
//! `scenarios -> run_selftest (simulate each Scenario into Counts) -> Row -> render`.
//! No planrun type, no clock, no output.

mod campaign;
mod grid;
mod noise;
mod reference;
mod rival;
mod selftest;
mod single_plan;
mod trace;
mod trial;

pub use campaign::simulate;
pub use grid::{Grid, GridEdge};
pub use noise::{Noise, Timeline};
pub use rival::{RivalCounts, SINGLE_RUN_READING, welch_p};
pub use selftest::{
    MAX_ANY_FALSE, MAX_POWER_LOSS, MIN_COVERAGE, RAW_FALSE, Row, built_in_traces, render, run_selftest,
    scenarios,
};
pub use single_plan::{SimulatedEdge, SimulatedPlan};
pub use trace::{Trace, TraceError};
pub use trial::{ALPHA, Counts, Scenario, simulate_plan};
