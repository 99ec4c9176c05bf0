//! The integration tests, one file a subject.

mod engine_candle;
mod layers;
mod plan_probe;
mod report_case;
mod report_text;
