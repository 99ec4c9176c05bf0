//! What is kept of a run, and where: the record's types, the working store, and the published form. Nothing here
//! measures or judges.

mod atomic;
mod compact;
mod error;
mod load;
mod origin;
mod publish;
mod run_record;
mod schedule_change;
mod store;

pub use crate::plan::{ArmKind, PlanIdentity, Slot};
pub use atomic::write_atomically;
pub use compact::to_compact;
pub use error::StoreError;
pub use load::{load, load_one, load_run};
pub use origin::{Extension, Origin, Place};
pub use publish::published_files;
pub use run_record::{ChoiceLikelihood, Context, FORMAT, FailureKind, Item, Measured, Outcome, RunRecord};
pub use store::{Opened, Opening, Store, home_of, save_record};
