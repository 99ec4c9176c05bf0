//! One test binary, one file a subject.
#![expect(missing_docs, reason = "tests are named as sentences")]

mod compare_command;
mod condition_cases;
mod condition_implied;
mod condition_varied;
mod condition_words;
mod engine_candle;
mod engine_scripted;
mod guard_licenses;
mod guard_refusals;
mod layers;
mod measure_machine;
mod measure_metrics;
mod peer;
mod report_case;
mod report_hostile;
mod report_numbers;
mod report_plots;
mod report_text;
mod support;
mod task_conversation;
mod task_identity;
mod task_reading;
mod task_scoring;
mod workload_drive;
mod workload_engine;
