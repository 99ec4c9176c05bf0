//! One test binary, one file a subject.
#![expect(missing_docs, reason = "tests are named as sentences")]

mod engine_candle;
mod engine_scripted;
mod layers;
mod peer;
mod report_case;
mod report_text;
