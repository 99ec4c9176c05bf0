//! Pictures: pure functions from plain numbers to one inline SVG each. A picture carries its title, axis names, n,
//! floor and origin inside, so that it survives being copied out of the report. No planrun type, no file, no clock here.

mod forest;
mod interaction;
mod quality;
mod scale;
mod svg;
mod timeline;

pub use forest::{Forest, ForestRow, Standing, forest};
pub use interaction::{Interaction, Line, LinePoint, interaction};
pub use quality::{Quality, QualityRow, quality};
pub use scale::{Scale, nice_ticks, tick_label};
pub use timeline::{Timeline, TimelinePoint, timeline};
