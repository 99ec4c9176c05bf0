//! A chat template that puts the day into its prompts: fixed by the plan, else shared by the plan's runs, and caught when it
//! changes.

use crate::condition_cases::{after, carried, complete, set};
use crate::support::record::{quantize, record};
use planrun::compare::license;
use planrun::condition::{Condition, Field, Settings, Stated, varied};
use planrun::engine::{CandleEngine, Engine};
use planrun::run::first_day;
use std::fs;
use tempfile::TempDir;

fn desk() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("dated.jinja"),
        "Today is {{ strftime_now('%d %B %Y') }}. {{ messages[0].content }}",
    )
    .unwrap();
    fs::write(folder.path().join("plain.jinja"), "{{ messages[0].content }}").unwrap();
    folder
}

/// What a run of pico with this template finds on this day.
fn found(template: &str, day: &str) -> Stated<String> {
    let folder = desk();
    let settings = Settings {
        model: set("pico"),
        chat_template: set(template),
        template_date: set(day),
        ..Settings::default()
    };
    CandleEngine::open(&settings, folder.path()).unwrap().observed().template_date.clone()
}

fn on(day: &'static str) -> impl Fn(&mut Condition) {
    move |condition| {
        condition.found.template_date = set(day);
        condition.found.prompt_fingerprint = set(day);
        condition.found.prompt_ids_fingerprint = set(day);
    }
}

#[test]
fn the_day_is_recorded_only_where_the_template_asks_for_it() {
    assert_eq!(found("dated.jinja", "2026-11-30"), set("2026-11-30"));
    assert_eq!(found("plain.jinja", "2026-11-30"), Stated::Unset);
}

#[test]
fn a_template_with_todays_date_is_caught_when_the_date_changes() {
    let mut yesterday = complete();
    on("2026-11-29")(&mut yesterday);
    let mut today = complete();
    on("2026-11-30")(&mut today);
    let varied_alone = varied(&yesterday, &today);
    assert_eq!(varied_alone.fields(), [Field::TemplateDate]);
    assert_eq!(carried(&varied_alone), [Field::PromptFingerprint, Field::PromptIdsFingerprint]);
    today.asked.chat_template = set("another.jinja");
    today.found.chat_template = set("another");
    let fields = varied(&yesterday, &today).fields();
    assert_eq!(fields, [Field::ChatTemplate, Field::TemplateDate], "another template explains no other day");
    today.asked.template_date = set("2026-11-30");
    yesterday.asked.template_date = set("2026-11-30");
    on("2026-11-30")(&mut yesterday);
    assert_eq!(varied(&yesterday, &today).fields(), [Field::ChatTemplate], "a day that is fixed stays");
}

#[test]
fn a_comparison_across_midnight_is_refused_by_name() {
    let before = record(3);
    let mut after = record(3);
    quantize(&mut after, "q4_0", 4.5);
    on("2026-11-30")(&mut after.condition);
    let mut before_midnight = before.clone();
    on("2026-11-29")(&mut before_midnight.condition);
    let refusal = license(&before_midnight, &after, &[], true).unwrap_err();
    assert_eq!(refusal.fields, [Field::Quantization, Field::TemplateDate]);
}

#[test]
fn a_template_that_asks_for_the_day_explains_that_there_is_one() {
    let varied = after(|condition| {
        condition.found.chat_template = set("dddd");
        on("2026-11-30")(condition);
    });
    assert_eq!(varied.fields(), [Field::ChatTemplate]);
}

#[test]
fn records_made_before_the_day_was_read_still_compare() {
    let mut old = complete();
    old.asked.template_date = Stated::Unknown;
    old.found.template_date = Stated::Unknown;
    assert_eq!(varied(&old, &old).unknown, []);
    assert_eq!(varied(&old, &complete()).unknown, []);
    let mut dated = complete();
    on("2026-11-30")(&mut dated);
    let fields: Vec<Field> = varied(&old, &dated).unknown.iter().map(|gap| gap.field).collect();
    assert_eq!(fields, [Field::TemplateDate]);
}

#[test]
fn all_runs_of_a_plan_share_the_day_of_the_first_that_asked_for_it() {
    let mut records = vec![record(1), record(1), record(1)];
    records[1].condition.found.template_date = set("2026-11-28");
    records[2].condition.asked.template_date = set("2020-01-01");
    records[2].condition.found.template_date = set("2020-01-01");
    assert_eq!(first_day(&records), "2026-11-28");
    let today = first_day(&[]);
    assert!(today.len() == 10 && planrun::condition::parse_day(&today).is_some(), "{today}");
}
