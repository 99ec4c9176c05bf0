//! All integration tests, one module a subject.

mod engine_candle;
