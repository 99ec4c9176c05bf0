//! The report as plain data: what stands in which table, sentence and picture. Templates only lay it out.

mod appendix;
mod cells;
mod conditions;
mod facts;
mod figures;
mod frame;
mod interactions;
mod limits;
mod metric;
mod refusals;
mod scope;
mod summary;
mod table;
mod whole;

pub use appendix::Appendix;
pub use facts::Fact;
pub use figures::Figure;
pub use frame::{Frame, FrameWorkload};
pub use metric::Section;
pub use refusals::RefusalView;
pub use summary::{Answer, AnswerGroup, Summary};
pub use table::Table;
pub use whole::View;
