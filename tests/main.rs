//! One test binary, one file a subject.
#![expect(missing_docs, reason = "tests are named as sentences")]

mod compare_command;
mod compare_quality;
mod compare_timing;
mod engine_candle;
mod guard_licenses;
mod guard_refusals;
mod layers;
mod support;
