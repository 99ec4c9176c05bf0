//! What is demanded. A clause asks the engine something and panics where the answer is not as it must be; every reply is held to
//! `check_reply` besides.

mod ends;
mod list;
mod prompts;
mod reply;
mod state;
mod words;

pub(crate) use list::{COLD, Clause, DRAFTING, WARM};
pub(crate) use reply::check_reply;
