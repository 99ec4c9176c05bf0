//! Sense: what the schema cannot say. What people forget, what an engine or a model cannot do, task files, metrics.

mod address;
mod compare;
mod constraints;
mod families;
mod files;
mod forgotten;
mod hub;
mod outside;
mod scoring;
mod stated;
mod surroundings;
mod workloads;

pub(super) use compare::check_compare;
pub(super) use stated::check_stated;
pub(super) use surroundings::Surroundings;
pub(super) use workloads::check_workloads;
