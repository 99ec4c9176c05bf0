//! Thinking, per family: how a template lets a plan switch its model's reasoning (found by rendering probes, never by a
//! model's name), how the switch is set, and what a rendered prompt says. What replies did is judged in `workload`.

mod probe;
mod said;
mod switch;
mod turn;

pub(super) use probe::{Probes, knows_grades, switch_of};
pub use said::{Flag, flag_in, said_by};
pub use switch::ThinkingSwitch;
pub(super) use turn::Turn;
