//! Arithmetic on numbers: the order of arms, the robust fit, edges, families, quality, resolution.
//! Timing: `block_order -> Layout -> Analysis::of (fit -> arm_noise -> moderate) -> edge / factor_effect ->
//! judge`; then the [`Interval`] of each [`Judged`] decides its verdict.
//! Quality: `Paired -> judge_pairs`, or `sign_flip` and `bootstrap_t` for fractional or grouped items.
//! Nothing here knows a plan, a record, an engine or a clock. docs/method.md explains the choices.

mod clipping;
mod contrast;
mod design;
mod effect;
mod family;
mod fit;
mod flip;
mod floor;
mod layout;
mod moderate;
mod order;
mod paired;
mod polygamma;
mod resolution;
pub mod simulation;
mod summary;
mod trend;

pub use clipping::{CLIPPING_ALPHA, clipping_p};
pub use contrast::{Analysis, Estimate, t_quantile};
pub use effect::{Face, FactorEffect, factor_effect, interaction};
pub use family::{Holm, Interval, Judged, holm, judge};
pub use fit::{ArmFit, Fit, FitError, HUBER_K, MAX_MISSING_SHARE, fit};
pub use flip::{
    Cluster, JudgedClusters, MIN_CLUSTERS, bootstrap_t, cluster_delta, cluster_interval, judge_clusters,
    sign_flip,
};
pub use floor::{MIN_BLOCKS, NoiseLevel};
pub use layout::{Layout, Observation, SubBlockShape, block_differences};
pub use moderate::{ArmNoise, Moderated, arm_noise, moderate};
pub use order::{MAX_SUB_BLOCK, SubBlock, block_order};
pub use paired::{JudgedPair, Paired, judge_pairs};
pub use polygamma::{pentagamma, tetragamma, trigamma, trigamma_inverse};
pub use resolution::{
    ExactResolution, FORMULA_HOLDS_FROM, Resolution, exact_resolution, least_one_way_flips,
    paired_resolution, resolution, unchanged_bound,
};
pub use summary::{
    MAD_TO_SD, Summary, log_difference_as_percent, mean, median, percentile_is_judgeable, quantile, variance,
};
pub use trend::{Trend, theil_sen};
