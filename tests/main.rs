//! One test binary, one file a subject.

// `cfg(test)` tells clippy that helper functions in these files are test code too.
#[cfg(test)]
mod condition_cases;
#[cfg(test)]
mod condition_implied;
#[cfg(test)]
mod condition_varied;
#[cfg(test)]
mod condition_words;
#[cfg(test)]
mod engine_candle;
#[cfg(test)]
mod engine_scripted;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod measure_machine;
#[cfg(test)]
mod measure_metrics;
#[cfg(test)]
mod peer;
#[cfg(test)]
mod report_case;
#[cfg(test)]
mod report_text;
#[cfg(test)]
mod task_conversation;
#[cfg(test)]
mod task_identity;
#[cfg(test)]
mod task_reading;
#[cfg(test)]
mod task_scoring;
#[cfg(test)]
mod workload_drive;
#[cfg(test)]
mod workload_engine;
