//! One test binary, one file a subject.

mod condition_cases;
mod condition_implied;
mod condition_varied;
mod condition_words;
mod engine_candle;
mod engine_scripted;
mod layers;
mod measure_machine;
mod measure_metrics;
mod peer;
mod plan_cases;
mod plan_checked_in;
mod plan_errors;
mod plan_fuzz;
mod plan_grid;
mod plan_identity;
mod plan_schedule;
mod report_case;
mod report_text;
mod task_conversation;
mod task_identity;
mod task_reading;
mod task_scoring;
mod workload_drive;
mod workload_engine;
