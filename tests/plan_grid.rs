//! Cells and edges.

use crate::plan_cases::{GRID, QUALITY, TIMING, plan, planned};
use planrun::condition::{Field, Stated, varied_settings};
use planrun::plan::Planned;

fn fields(planned: &Planned) -> Vec<(u32, u32, Field)> {
    planned.edges().map(|edge| (edge.before, edge.after, edge.field)).collect()
}

fn count(planned: &Planned, field: Field) -> usize {
    planned.edges().filter(|edge| edge.field == field).count()
}

fn with_pairs(pairs: &str) -> Planned {
    planned(&plan(GRID, &format!("{TIMING}[compare]\npairs = \"{pairs}\"\n")))
}

#[test]
fn every_combination_of_levels_is_a_cell_and_the_last_factor_moves_fastest() {
    let planned = planned(&plan(GRID, TIMING));
    assert_eq!(planned.cells.len(), 12);
    assert_eq!(planned.cells[1].label, "quantization=f32 thinking=false max_tokens=32");
    assert_eq!(planned.cells[11].levels, [1, 1, 2]);
    assert_eq!(planned.cells[11].settings.max_tokens, Stated::Set(64));
}

#[test]
fn a_key_that_is_not_stated_is_unset_and_not_unknown() {
    let planned = planned(&plan(GRID, TIMING));
    assert_eq!(planned.cells[0].settings.top_k, Stated::Unset);
}

#[test]
fn every_edge_of_every_rule_passes_the_guards_own_rule_with_its_field() {
    for rule in ["star", "neighbours", "baseline", "all"] {
        let planned = with_pairs(rule);
        for edge in planned.edges() {
            let settings = |cell: u32| &planned.cells[cell as usize].settings;
            let varied = varied_settings(settings(edge.before), settings(edge.after));
            assert_eq!(varied.fields(), [edge.field], "{rule}: {edge:?}");
        }
    }
}

#[test]
fn rules_pick_the_pairs_that_they_promise() {
    let expected = [("star", 6, 6, 8), ("neighbours", 6, 6, 8), ("baseline", 1, 1, 2), ("all", 6, 6, 12)];
    for (rule, quantization, thinking, max_tokens) in expected {
        let planned = with_pairs(rule);
        assert_eq!(count(&planned, Field::Quantization), quantization, "{rule}");
        assert_eq!(count(&planned, Field::Thinking), thinking, "{rule}");
        assert_eq!(count(&planned, Field::MaxTokens), max_tokens, "{rule}");
    }
}

#[test]
fn star_takes_the_first_level_and_neighbours_the_one_before() {
    let line = |planned: &Planned| -> Vec<(u32, u32)> {
        let in_line = planned.edges().filter(|edge| edge.field == Field::MaxTokens && edge.after < 3);
        in_line.map(|edge| (edge.before, edge.after)).collect()
    };
    assert_eq!(line(&with_pairs("star")), [(0, 1), (0, 2)]);
    assert_eq!(line(&with_pairs("neighbours")), [(0, 1), (1, 2)]);
}

#[test]
fn a_baseline_is_a_cell_and_factors_left_out_take_their_first_level() {
    let rest = format!(
        "{TIMING}[compare]\nbaseline = {{ max_tokens = 32, thinking = true }}\npairs = \"baseline\"\n"
    );
    let planned = planned(&plan(GRID, &rest));
    assert_eq!(
        planned.cells[planned.baseline as usize].label,
        "quantization=f32 thinking=true max_tokens=32"
    );
    assert!(planned.edges().all(|edge| edge.before == planned.baseline || edge.after == planned.baseline));
    assert_eq!(planned.graph.edge_count(), 4);
}

#[test]
fn listed_pairs_take_the_baselines_levels_where_they_name_none() {
    let rest = format!("{TIMING}[[compare.pairs]]\nbefore = {{}}\nafter = {{ quantization = \"q8_0\" }}\n");
    let planned = planned(&plan(GRID, &rest));
    assert_eq!(fields(&planned), [(0, 6, Field::Quantization)]);
}

#[test]
fn excluded_combinations_are_no_cells_and_have_no_edges() {
    let rest = format!("[[grid.exclude]]\nquantization = \"q8_0\"\nmax_tokens = [32, 64]\n{TIMING}");
    let planned = planned(&plan(GRID, &rest));
    assert_eq!(planned.cells.len(), 8);
    assert_eq!(count(&planned, Field::Quantization), 2);
    assert!(planned.notes.iter().any(|note| note.contains("4 combinations are excluded")));
}

#[test]
fn seeds_of_greedy_decoding_collapse_to_one_cell_and_the_plan_says_so() {
    let text = plan("temperature = [0, 0.7]\nseed = [1, 2, 3]\n", TIMING).replacen(
        "temperature = 0\n",
        "thinking = false\n",
        1,
    );
    let planned = planned(&text);
    assert_eq!(planned.cells.len(), 4);
    assert_eq!(fields(&planned), [(0, 1, Field::Temperature), (1, 2, Field::Seed), (1, 3, Field::Seed)]);
    assert!(
        planned.notes.iter().any(|note| note.contains("2 combinations of levels collapse")),
        "{:?}",
        planned.notes
    );
}

#[test]
fn a_deployment_is_one_cause_with_its_members() {
    let rest = format!(
        "[deployments.small]\nquantization = \"q4_k\"\nthreads = 1\n[deployments.large]\nquantization = \"f32\"\n\
         threads = 2\n{TIMING}"
    );
    let planned = planned(&plan("thinking = [false, true]\ndeployment = [\"small\", \"large\"]\n", &rest));
    assert_eq!(count(&planned, Field::Deployment), 2);
    assert_eq!(planned.cells[0].settings.quantization, Stated::Set("q4_k".to_owned()));
    let members = &planned.cells[0].settings.deployment.get().expect("a deployment").members;
    assert_eq!(members, &[Field::Quantization, Field::Threads]);
}

#[test]
fn a_named_level_varies_the_cause_that_its_settings_share() {
    let grid =
        "reasoning = [\n { name = \"off\", thinking = false },\n { name = \"on\", thinking = true },\n]\n";
    let planned = planned(&plan(grid, TIMING));
    assert_eq!(planned.factors[0].field, Field::Thinking);
    assert_eq!(planned.cells[1].label, "reasoning=on");
}

#[test]
fn a_plan_without_a_grid_has_one_cell_and_no_edges() {
    let text = plan("", QUALITY).replace("warmup = 1", "warmup = 1\nthinking = false\nmax_tokens = 8");
    let planned = planned(&text);
    assert_eq!((planned.cells.len(), planned.graph.edge_count()), (1, 0));
    assert_eq!(planned.cells[0].label, "");
}
