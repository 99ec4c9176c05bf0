//! Arithmetic on numbers: the order of arms, the robust fit, edges, families, quality, resolution.
//! Timing: `block_order -> Layout -> Analysis::of (fit -> arm_noise -> moderate) -> edge / factor_effect ->
//! judge`; then the [`Interval`] of each [`Judged`] decides its verdict.
//! Quality: `Paired -> judge_pairs`, or `sign_flip` and `bootstrap_t` for fractional or grouped items.
//! Nothing here knows a plan, a record, an engine or a clock. docs/method.md explains the choices.

mod contrast;
mod design;
mod effect;
mod family;
mod fit;
mod floor;
mod layout;
mod moderate;
mod order;
mod polygamma;
mod summary;

pub use contrast::{Analysis, Estimate, t_quantile};
pub use effect::{Face, FactorEffect, factor_effect, interaction};
pub use family::{Holm, Interval, Judged, holm, judge};
pub use fit::{ArmFit, Fit, FitError, HUBER_K, MAX_MISSING_SHARE, fit};
pub use floor::{MIN_BLOCKS, NoiseLevel};
pub use layout::{Layout, Observation, SubBlockShape};
pub use moderate::{ArmNoise, Moderated, arm_noise, moderate};
pub use order::{MAX_SUB_BLOCK, SubBlock, block_order};
pub use polygamma::{pentagamma, tetragamma, trigamma, trigamma_inverse};
pub use summary::{
    MAD_TO_SD, Summary, log_difference_as_percent, mean, median, percentile_is_judgeable, quantile, variance,
};
