//! What the plan's hash covers, overrides, price and resolution.

use crate::engine_gguf::pico_as_gguf;
use crate::plan_cases::{GRID, QUALITY, TIMING, folder, plan, planned};
use crate::support::gguf::Value;
use planrun::plan::{CostTable, detectable, price, quality_resolution};
use planrun::run::prepare;

fn hash(text: &str) -> String {
    planned(text).identity.hash
}

fn both() -> String {
    plan(GRID, &format!("{TIMING}{QUALITY}"))
}

#[test]
fn comments_titles_comparisons_and_the_report_do_not_change_the_hash() {
    let text = both();
    let told = text.replace("name = \"case\"", "# a comment\nname = \"case\"\ntitle = \"A case\"")
        + "[compare]\nalpha = 0.01\n[report]\nnotes = [\"warm room\"]\n[schedule]\ntimeout_s = 9\n";
    assert_eq!(hash(&text), hash(&told));
}

#[test]
fn whatever_decides_the_runs_changes_the_hash() {
    let text = both();
    let variants = [
        text.replace("warmup = 1", "warmup = 2"),
        text.replace("[16, 32, 64]", "[16, 64, 32]"),
        text.replace("gen_tokens = 8", "gen_tokens = 9"),
        text.replace("name = \"case\"", "name = \"case\"\nseed = 2"),
        format!("{text}[schedule]\ncontrol = false\n"),
        format!("{text}[compare]\nbaseline = {{ max_tokens = 32 }}\n"),
    ];
    for variant in variants {
        assert_ne!(hash(&text), hash(&variant), "{variant}");
    }
}

#[test]
fn the_order_of_factors_counts_as_it_decides_the_numbers_of_cells() {
    let turned = "thinking = [false, true]\nquantization = [\"f32\", \"q8_0\"]\nmax_tokens = [16, 32, 64]\n";
    assert_ne!(hash(&plan(GRID, TIMING)), hash(&plan(turned, TIMING)));
}

#[test]
fn the_contents_of_a_task_file_count_and_its_name_alone_does_not_hide_a_change() {
    let (directory, path) = folder(&both());
    let before = prepare(&path, &[]).expect("valid").identity.hash;
    let more = format!("{}{}", crate::plan_cases::TWO_TASKS, "{\"prompt\":\"3+3?\",\"expected\":\"6\"}\n");
    std::fs::write(directory.path().join("two.jsonl"), more).expect("tasks");
    assert_ne!(before, prepare(&path, &[]).expect("valid").identity.hash);
}

#[test]
fn the_model_that_guesses_ahead_counts_by_what_is_in_its_file() {
    let text = plan("seed = [1, 2]\nspeculation = [\"ngram:4\", \"draft:draft.gguf\"]\n", QUALITY)
        .replace("\"scripted\"", "\"llama_cpp\"")
        .replace("scorer", "thinking = false\nmax_tokens = 8\nscorer");
    let (directory, path) = folder(&text);
    let write = |name| {
        pico_as_gguf().instead("general.name", Value::Text(name)).write(directory.path(), "draft.gguf");
    };
    let hash = || prepare(&path, &[]).expect("valid").identity.hash;
    write("one");
    let before = hash();
    assert_eq!(before, hash());
    write("two");
    assert_ne!(before, hash());
}

#[test]
fn overrides_apply_before_the_check_and_are_recorded() {
    let (_directory, path) = folder(&both());
    let sets = [
        "settings.warmup=3",
        "grid.quantization=[\"f32\", \"q4_k\"]",
        "schedule.blocks=2",
        "settings.system_prompt=Be brief",
    ];
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    let planned = prepare(&path, &sets).expect("valid");
    assert_eq!(planned.cells[0].settings.warmup.get(), Some(&3));
    assert_eq!(planned.cells[0].settings.system_prompt.get().map(String::as_str), Some("Be brief"));
    assert_eq!(planned.factors[0].levels, ["f32", "q4_k"]);
    assert_eq!(planned.workloads[0].blocks.len(), 2);
    assert_eq!(planned.overrides, sets);
}

#[test]
fn the_price_is_the_sum_over_all_runs_and_unknown_without_a_cost() {
    let planned = planned(&both());
    let mut costs = CostTable::default();
    costs.set(0, 0, 1.0);
    costs.set(0, 6, 2.0);
    assert_eq!(price(&planned, &costs).total, None, "nothing is known of the second workload");
    costs.set(1, 0, 3.0);
    let price = price(&planned, &costs);
    // Timing: (1 + 2 + the control's 1) s x 12 runs; quality: 13 runs of 3 s.
    assert_eq!(price.minutes, [Some(48.0 / 60.0), Some(39.0 / 60.0)]);
    let first = planned.runs().next().expect("a plan has runs");
    let discarded = costs.seconds(first.workload, first.cell).expect("its cost is known");
    let seconds = 60.0 * price.total.expect("all is known");
    assert!((seconds - (48.0 + 39.0 + discarded)).abs() < 1e-9, "the discarded first run counts: {seconds}");
}

#[test]
fn a_cost_that_is_no_time_is_left_out() {
    let planned = planned(&plan(GRID, TIMING));
    let mut costs = CostTable::default();
    costs.set(0, 0, f64::NAN);
    costs.set(0, 6, -1.0);
    assert_eq!(price(&planned, &costs).total, None);
}

#[test]
fn resolution_and_detectable_difference_are_for_the_workload_that_has_them() {
    let planned = planned(&both());
    assert!(quality_resolution(&planned, 0, 0.7).is_none());
    let resolution = quality_resolution(&planned, 1, 0.7).expect("answers are scored");
    assert!(!resolution.formula_holds, "two tasks are below the size where the formula holds");
    assert!(detectable(&planned, 1, 0.01).is_none());
    let one = detectable(&planned, 0, 0.01).expect("times are judged");
    let two = detectable(&planned, 0, 0.02).expect("times are judged");
    assert!(one > 0.0 && two > 1.9 * one, "{one} {two}");
}
