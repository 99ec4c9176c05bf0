//! All integration tests, one binary: one module a subject.

mod stats_effects;
mod stats_family;
mod stats_fit;
mod stats_noise;
mod stats_order;
mod stats_quality;
mod stats_resolution;
mod stats_simulation;
mod stats_summary;
mod stats_support;
