//! One test binary, one file a subject.

mod engine_candle;
mod layers;
