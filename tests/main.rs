//! One test binary, one file a subject.

// `cfg(test)` tells clippy that helper functions in these files are test code too.
#[cfg(test)]
mod engine_candle;
#[cfg(test)]
mod engine_folder;
#[cfg(test)]
mod engine_scripted;
#[cfg(test)]
mod engine_templates;
#[cfg(test)]
mod peer;
