//! The embedded model's exercises: twelve families of generated tasks, their reasoning traces and the
//! held-out task sets. Pure text and seeded randomness; no tokens, no weights.

mod arithmetic;
mod counting;
mod facts;
mod held_out;
mod lists;
mod sample;
mod structured;
mod task_sets;
mod words;

pub use held_out::is_held_out;
pub use sample::{Family, Sample, ToolExchange};
pub use task_sets::{TASK_SETS, TaskItem, TaskSetSpec, held_out_items, write_task_sets};
