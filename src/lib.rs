//! planrun: a plan becomes cells, a comparison graph and a schedule; an engine answers under a workload; runs are
//! measured and recorded; records are compared by the guard and the statistics; the verdicts become a report.
//!
//! Rooms import only from lower floors:
//! `main > cli > {report schema} > {run import} > compare > {workload record} > {engine measure plan} > condition >
//! {task abilities constraint} > {generation stats fingerprint hub_cache process shell exit}`.

pub mod abilities;
pub mod cli;
pub mod compare;
pub mod condition;
pub mod constraint;
pub mod engine;
pub mod exit;
pub mod fingerprint;
pub mod generation;
pub mod hub_cache;
pub mod measure;
pub mod plan;
pub mod process;
pub mod record;
pub mod report;
pub mod run;
pub mod schema;
pub mod shell;
pub mod stats;
pub mod task;
pub mod workload;
