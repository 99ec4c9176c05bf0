//! One test binary, one file a subject.
#![expect(missing_docs, reason = "tests are named as sentences")]

// `cfg(test)` tells clippy that helper functions in these files are test code too.
#[cfg(test)]
mod engine_candle;
#[cfg(test)]
mod engine_scripted;
#[cfg(test)]
mod peer;
