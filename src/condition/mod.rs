//! The condition of a run: what was asked, how it was asked, and what was found; and the one rule, [`varied`], that
//! says which controlled fields differ between two of them. Nothing here runs, reads or prints anything.

mod day;
mod field;
mod observed;
mod settings;
mod state;
mod stated;
mod varied;
mod whole;
mod workload;

pub use day::{parse_day, written_day};
pub use field::Field;
pub use observed::{HARNESS, Hardware, Observed, REQUANTIZED_FROM, Runtime};
pub use settings::{CacheState, Deployment, NO_CHAT_TEMPLATE, Settings};
pub use state::{Origin, State, asked_states, states};
pub use stated::Stated;
pub use varied::{Cause, Difference, Varied, implied_by, varied, varied_settings};
pub(crate) use varied::{OF_A_SERVER, members};
pub use whole::Condition;
pub use workload::{Isolation, Mode, Workload};
