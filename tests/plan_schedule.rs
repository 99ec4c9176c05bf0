//! The order of runs, shared arms, and the schedule file.

use crate::plan_cases::{GRID, QUALITY, TIMING, plan, planned};
use planrun::condition::Stated;
use planrun::plan::{ArmKind, PlannedRun};
use std::collections::{BTreeMap, BTreeSet};

/// Sub-block, position, length of the sub-block.
type Place = (u32, u32, u32);

#[test]
fn a_workload_of_fixed_length_merges_cells_that_differ_only_in_what_it_does_not_know() {
    let planned = planned(&plan(GRID, TIMING));
    let timing = &planned.workloads[0];
    assert_eq!(timing.arms, [0, 6, 0], "two quantizations and the control");
    assert_eq!(timing.arm_of_cell, [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
    assert_eq!(timing.edges.len(), 1, "one comparison is left");
    assert_eq!(planned.collapsed_factors(0), ["thinking", "max_tokens"]);
}

#[test]
fn a_merged_run_leaves_unset_what_its_workload_does_not_know() {
    let planned = planned(&plan(GRID, TIMING));
    let run = planned.runs().find(|run| run.cell == 6).expect("a run of q8_0");
    let settings = planned.settings_of(&run);
    assert_eq!(settings.max_tokens, Stated::Unset);
    assert_eq!(settings.thinking, Stated::Unset);
    assert_eq!(settings.quantization, Stated::Set("q8_0".to_owned()));
    assert_eq!(planned.label_of(&run), "quantization=q8_0");
}

#[test]
fn every_arm_runs_twice_in_every_block_at_mirrored_positions() {
    let planned = planned(&plan(GRID, &format!("{QUALITY}timing = true\n")));
    let mut places: BTreeMap<(u32, u32), Vec<Place>> = BTreeMap::new();
    for run in planned.runs() {
        let place = (run.slot.sub_block, run.slot.position, run.slot.length);
        places.entry((run.slot.block, run.arm)).or_default().push(place);
    }
    assert_eq!(places.len(), 6 * 13, "12 cells and the control in 6 blocks");
    for pair in places.values() {
        let [(first_part, first, length), (second_part, second, _)] = pair[..] else { panic!("{pair:?}") };
        assert_eq!((first_part, first + second), (second_part, length - 1));
    }
}

#[test]
fn blocks_are_cut_into_sub_blocks_of_at_most_sixteen_arms() {
    let grid = format!("{GRID}threads = [1, 2]\n");
    let planned = planned(&plan(&grid, &format!("{QUALITY}timing = true\n")));
    let sizes: Vec<usize> = planned.workloads[0].blocks[0].iter().map(Vec::len).collect();
    assert_eq!(sizes, [13, 12], "24 cells and the control");
}

#[test]
fn raising_blocks_keeps_the_blocks_that_were_there_and_the_plans_hash() {
    let six = planned(&plan(GRID, TIMING));
    let nine = planned(&plan(GRID, &format!("{TIMING}[schedule]\nblocks = 9\n")));
    assert_eq!(nine.workloads[0].blocks[..6], six.workloads[0].blocks[..]);
    assert_eq!(nine.identity, six.identity);
}

#[test]
fn a_workload_that_judges_no_times_runs_once_for_each_cell_and_once_for_the_control() {
    let planned = planned(&plan(GRID, QUALITY));
    let runs: Vec<PlannedRun> = planned.runs().collect();
    let ids: BTreeSet<&str> = runs.iter().map(|run| run.id.as_str()).collect();
    assert_eq!((runs.len(), ids.len()), (13, 13));
    assert!(ids.contains("quality-c0011") && ids.contains("quality-control"));
    let control = runs.iter().find(|run| run.kind == ArmKind::Control).expect("a control");
    assert_eq!(control.cell, planned.baseline);
}

#[test]
fn run_ids_name_block_sub_block_and_position_and_are_unique() {
    let planned = planned(&plan(GRID, &format!("{TIMING}{QUALITY}")));
    let runs: Vec<PlannedRun> = planned.runs().collect();
    assert_eq!(runs.len(), planned.run_count());
    assert_eq!(runs[7].id, "timing-b01-s0-p001");
    let ids: BTreeSet<String> = runs.into_iter().map(|run| run.id).collect();
    assert_eq!(ids.len(), planned.run_count());
}

#[test]
fn without_control_no_arm_is_the_control() {
    let planned = planned(&plan(GRID, &format!("{TIMING}[schedule]\ncontrol = false\n")));
    assert_eq!(planned.workloads[0].arms, [0, 6]);
    assert!(planned.runs().all(|run| run.kind == ArmKind::Cell));
}

#[test]
fn the_schedule_file_is_the_same_for_the_same_plan_and_is_json() {
    let text = plan(GRID, &format!("{TIMING}{QUALITY}"));
    let write = || {
        let mut bytes = Vec::new();
        planned(&text).write_schedule(&mut bytes).expect("memory does not fail");
        bytes
    };
    let first = write();
    assert_eq!(first, write());
    let value: serde_json::Value = serde_json::from_slice(&first).expect("JSON");
    assert_eq!(value["cells"][11], serde_json::json!([1, 1, 2]));
    assert_eq!(value["workloads"][0]["order"].as_array().map(Vec::len), Some(6));
    assert_eq!(value["declared"]["metrics"]["timing"], serde_json::json!(["decode_tok_s", "ttft"]));
    assert_eq!(value["edges"].as_array().map(Vec::len), Some(20));
}

/// `levels` levels of each of five factors; every cell is an arm of its own.
fn grid_of(levels: usize) -> String {
    let list = |scale: f64| -> String {
        let each = (1..=levels).map(|level| (level as f64 * scale).to_string());
        each.collect::<Vec<_>>().join(", ")
    };
    let [whole, part] = [list(1.0), list(0.03125)];
    let grid = format!(
        "threads = [{whole}]\ncontext_length = [{whole}]\nprefill_chunk = [{whole}]\ntop_k = [{whole}]\ntop_p = [{part}]\n"
    );
    plan(&grid, TIMING).replace("temperature = 0", "temperature = 0.5\nseed = 1\nthinking = false")
}

/// Plans a grid of five factors and gives cells, edges and the bytes of the schedule file.
fn size_of(levels: usize) -> (usize, usize, usize) {
    let planned = planned(&grid_of(levels));
    let mut bytes = Vec::new();
    planned.write_schedule(&mut bytes).expect("memory does not fail");
    (planned.cells.len(), planned.graph.edge_count(), bytes.len())
}

#[test]
fn three_thousand_cells_are_planned_with_their_star_edges() {
    let (cells, edges, bytes) = size_of(5);
    assert_eq!((cells, edges), (3_125, 5 * 4 * 625));
    assert!(bytes < 500_000, "{bytes}");
}

#[test]
fn a_hundred_thousand_cells_have_a_schedule_file_below_fifty_megabytes() {
    let (cells, edges, bytes) = size_of(10);
    assert_eq!((cells, edges), (100_000, 450_000));
    assert!(bytes < 50_000_000, "{bytes}");
}
