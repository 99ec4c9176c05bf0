//! One test binary, one file a subject.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may panic; helpers beside tests are tests too"
)]

mod compare_command;
mod compare_quality;
mod compare_timing;
mod condition_cases;
mod condition_implied;
mod condition_varied;
mod condition_words;
mod engine_candle;
mod engine_decoder;
mod engine_families;
mod engine_folder;
mod engine_gguf;
mod engine_scripted;
mod engine_templates;
mod engine_templates_hostile;
mod engine_thinking;
mod gguf_malformed;
mod gguf_parts;
mod gguf_quirks;
mod gguf_reading;
mod gguf_vocabulary;
mod guard_licenses;
mod guard_refusals;
mod layers;
mod measure_machine;
mod measure_metrics;
mod peer;
mod pico_assets;
mod pico_tasks;
mod pico_training;
mod plan_cases;
mod plan_checked_in;
mod plan_errors;
mod plan_fuzz;
mod plan_grid;
mod plan_identity;
mod plan_models;
mod plan_schedule;
mod render_command;
mod report_case;
mod report_frame;
mod report_hostile;
mod report_numbers;
mod report_plots;
mod report_text;
mod run_failures;
mod run_interrupts;
mod run_walk;
mod run_warm;
mod selftest_end_to_end;
mod stats_effects;
mod stats_family;
mod stats_fit;
mod stats_noise;
mod stats_order;
mod stats_quality;
mod stats_resolution;
mod stats_simulation;
mod stats_summary;
mod stats_support;
mod store_records;
mod support;
mod task_conversation;
mod task_identity;
mod task_reading;
mod task_scoring;
mod template_dates;
mod workload_drive;
mod workload_engine;
