//! After the verdicts: what a person reads. The judged plan becomes a plain view, the view becomes markdown, HTML and
//! JSON. Nothing here runs, judges or reads a clock: the same records give the same bytes.

mod escape;
mod names;
mod number;
mod render;
mod words;
mod written;

pub mod plot;
pub mod view;

pub use escape::markdown_text;
pub use number::{Precision, change, compact, p_value, share};
pub use render::{RenderError, Rendered, render};
pub use view::{Frame, FrameWorkload, View};
