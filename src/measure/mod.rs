//! What is read off a run: the catalogue of metrics, generations as items, items as metrics, memory, and the machine.
//! Nothing here judges a difference between runs.

mod item;
mod machine;
mod measured;
mod measurement;
mod memory;
mod metric;
mod power_source;
mod times;

pub use item::{ChoiceLikelihood, Item};
pub use machine::{Machine, Readings};
pub use measured::Measured;
pub use measurement::{Around, Measurement, measure};
pub use memory::Memory;
pub use metric::{Better, CATALOGUE, Metric, Replication, metric};
pub use times::Times;
