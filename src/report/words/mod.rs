//! The sentences of a report: metric, unit, direction, interval and the condition under which they hold, in each.

mod change;
mod edge;
mod factor;
mod grounds;
mod legend;
mod levels;
mod split;
mod terms;

pub(super) use change::{capital, delta_unit, ends, level, multiple, precision};
pub(super) use edge::edge_words;
pub(super) use factor::{FactorWords, factor_words, standing};
pub(super) use grounds::grounds;
pub(super) use legend::legend;
pub(super) use levels::{counted, listed};
pub(super) use terms::terms;
