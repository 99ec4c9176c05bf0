//! Simulated plans: the real order and the real statistics on noise of known kinds.
//! `standard_noises -> Scenario -> simulate -> Counts -> Row -> render`. No planrun type, no clock, no output.

mod campaign;
mod grid;
mod noise;
mod rival;
mod trace;
mod trial;

pub use campaign::simulate;
pub use grid::{Grid, GridEdge};
pub use noise::{Noise, Timeline};
pub use rival::{RivalCounts, SINGLE_RUN_READING, welch_p};
pub use trace::{Trace, TraceError};
pub use trial::{ALPHA, Counts, Scenario, simulate_plan};
