//! During: one run in a process of its own, and the walk over all runs of a plan on this machine. What a run measures is
//! decided in `measure`, what is kept of it in `record`.

mod binary;
mod child;
mod circumstances;
mod control_check;
mod local;
mod lock;
mod models;
mod one;
mod prepared;
mod price_probe;
mod progress;
mod request;
mod requests;
mod server;
mod session;

pub use binary::Binary;
pub use child::ChildError;
pub use circumstances::first_day;

pub use local::{Tally, WalkError};
pub use lock::{DeviceLock, LockError};
pub use models::{fetch_models, models_of_hub};

pub use one::make;
pub use prepared::prepare;
pub use price_probe::{Evidence, costs, costs_of_records, seconds_left};
pub use request::{RunIdentity, RunRequest, Step, TaskFile, WAITS};
pub use server::{Neighbour, guard};
pub use session::{Choices, SessionEnd, SessionError, is_done, present_state, session};
