//! During: one run in a process of its own, and the walk over all runs of a plan on this machine. What a run measures is
//! decided in `measure`, what is kept of it in `record`.

mod binary;
mod child;
mod circumstances;
mod control_check;
mod local;
mod lock;
mod progress;
mod request;

pub use binary::Binary;
pub use child::ChildError;
pub use circumstances::session_context;
pub use local::{Pace, Tally, WalkError, walk};
pub use lock::{DeviceLock, LockError};
pub use progress::Progress;
pub use request::{RunIdentity, RunRequest, Step, exec_exit};
