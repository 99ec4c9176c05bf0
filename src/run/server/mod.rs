//! Servers that planrun starts for runs: started through a guard that no death of planrun's can keep from ending them, waited
//! for, handed to runs, ended; what an earlier session left behind, and what others have running on this machine.

mod asking;
mod attached;
mod ending;
mod guard;
mod leftovers;
mod log;
mod neighbours;
mod own;
mod pool;
mod processes;
mod refusals;
mod started;

pub use guard::guard;
pub(super) use leftovers::end_leftovers;
pub use neighbours::Neighbour;
pub(super) use neighbours::neighbours;
pub(super) use pool::Servers;
