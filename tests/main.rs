//! One test binary, one file a subject.

// `cfg(test)` tells clippy that helper functions in these files are test code too.
#[cfg(test)]
mod compare_command;
#[cfg(test)]
mod compare_quality;
#[cfg(test)]
mod compare_timing;
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
mod engine_folder;
#[cfg(test)]
mod engine_scripted;
#[cfg(test)]
mod engine_templates;
#[cfg(test)]
mod guard_licenses;
#[cfg(test)]
mod guard_refusals;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod measure_machine;
#[cfg(test)]
mod measure_metrics;
#[cfg(test)]
mod peer;
#[cfg(test)]
mod pico_assets;
#[cfg(test)]
mod pico_tasks;
#[cfg(test)]
mod pico_training;
#[cfg(test)]
mod plan_cases;
#[cfg(test)]
mod plan_checked_in;
#[cfg(test)]
mod plan_errors;
#[cfg(test)]
mod plan_fuzz;
#[cfg(test)]
mod plan_grid;
#[cfg(test)]
mod plan_identity;
#[cfg(test)]
mod plan_schedule;
#[cfg(test)]
mod report_case;
#[cfg(test)]
mod report_hostile;
#[cfg(test)]
mod report_numbers;
#[cfg(test)]
mod report_plots;
#[cfg(test)]
mod report_text;
#[cfg(test)]
mod run_failures;
#[cfg(test)]
mod run_interrupts;
#[cfg(test)]
mod run_walk;
#[cfg(test)]
mod store_records;
#[cfg(test)]
mod support;
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
