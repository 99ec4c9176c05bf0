//! What a wrong plan is told: every error at once, each with its place, its text and a remedy.

use crate::plan_cases::{GRID, HEAD, QUALITY, TIMING, errors, errors_of_text, plan};
use insta::assert_snapshot;

#[test]
fn all_violations_of_the_schema_are_told_at_once_with_place_and_remedy() {
    let text = r#"[plan]
name = "Not A Name"

[settings]
model = "pico"
engin = "candle"
threads = "one"
temperature = nan
warmup = 1979-05-27
thinking = false

[grid]
quantization = ["f32", "q8_0", 7]
max_token = [1, 2]
mode = [{ name = "a", thinkin = true }, { nam = "b" }]

[[workload]]
name = "timing"
prompt_tokens = 64
gen_tokens = 8
mode = "sngle"

[schedule]
blocks = 0

[compare]
pairs = "stars"
margins = { decode_tok_s = 3 }
assume = ["hardwar"]
colour = "red"
"#;
    assert_snapshot!(errors_of_text(text, &[]));
}

#[test]
fn schema_errors_do_not_hide_errors_of_sense() {
    let text = plan(GRID, TIMING).replace("warmup = 1\n", "").replace("[16, 32, 64]", "[16, 16, 64, -1]");
    assert_snapshot!(errors_of_text(&text, &[]));
}

#[test]
fn a_broken_file_is_told_where_it_breaks() {
    assert_snapshot!(errors_of_text("[plan\nname = \"x\"\nseed = = 3\n", &[]));
}

#[test]
fn what_people_forget_is_insisted_on() {
    let text = format!(
        "[plan]\nname = \"case\"\nquestion = \"?\"\n[settings]\nmodel = \"pico\"\n[grid]\n\
         quantization = [\"f32\", \"q8_0\"]\n{QUALITY}"
    );
    assert_snapshot!(errors(&text));
}

#[test]
fn sampling_needs_a_seed() {
    let text = plan(GRID, TIMING).replace("temperature = 0", "temperature = 0.7");
    assert!(errors_of_text(&text, &[]).contains("no seed is chosen"));
}

#[test]
fn levels_must_be_distinct_and_more_than_one() {
    let grid = "quantization = [\"f32\", \"q8_0\", \"f32\"]\nthinking = [false]\nmax_tokens = [16, 16.0]\n";
    assert_snapshot!(errors_of_text(&plan(grid, TIMING), &[]));
}

#[test]
fn a_quantization_that_the_engine_lacks_gets_the_nearest_it_has() {
    let grid = "quantization = [\"f32\", \"q4_km\"]\nthinking = [false, true]\n";
    assert_snapshot!(errors_of_text(&plan(grid, TIMING), &[]));
}

#[test]
fn a_scheme_whose_blocks_do_not_divide_the_rows_is_told_from_the_models_configuration() {
    let text = plan("quantization = [\"f32\", \"q4_k\"]\n", TIMING).replace("\"pico\"", "\"small\"");
    let (folder, path) = crate::plan_cases::folder(&text);
    let model = folder.path().join("small");
    std::fs::create_dir(&model).expect("folder");
    std::fs::write(model.join("config.json"), r#"{"hidden_size": 576, "intermediate_size": 1536}"#)
        .expect("file");
    let errors = planrun::run::prepare(&path, &[]).expect_err("576 is no multiple of 256").to_string();
    assert!(errors.contains("`q4_k` takes blocks of 256 weights, but `small` has rows of 576"), "{errors}");
    assert!(errors.contains("these fit: f32, bf16, f16, q8_0, q4_0, q4_1, q5_0, q5_1"), "{errors}");
}

#[test]
fn a_named_level_that_sets_two_causes_is_a_deployment() {
    let grid = "thinking = [false, true]\nmode = [\n  { name = \"a\", max_tokens = 16 },\n  \
                { name = \"b\", max_tokens = 32, threads = 2 },\n]\n";
    assert_snapshot!(errors_of_text(&plan(grid, TIMING), &[]));
}

#[test]
fn a_setting_belongs_to_one_factor() {
    let grid = "thinking = [false, true]\ntemperature = [0, 0]\nmode = [{ name = \"a\", thinking = true }, { name = \
                \"b\", thinking = false }]\n";
    let told = errors_of_text(&plan(grid, TIMING), &[]);
    assert!(told.contains("`temperature` is a factor of [grid] and also set in [settings]"), "{told}");
    assert!(told.contains("factors `thinking` and `mode` both set `thinking`"), "{told}");
}

#[test]
fn exclusions_baseline_pairs_metrics_and_deployments_must_name_what_is_there() {
    let rest = format!(
        "deployment = [\"here\", \"ther\"]\n[[grid.exclude]]\nquantization = \"q8\"\n[[grid.exclude]]\n\
         quantisation = \"f32\"\n[deployments.here]\nthreads = 1\n[deployments.there]\nthreads = 2\n{TIMING}\
         [compare]\nbaseline = {{ max_tokens = 17 }}\nmetrics = {{ timing = [\"decode\"], qualty = [\"quality\"] }}\n\
         margins = {{ tfft = 0.1 }}\n"
    );
    assert_snapshot!(errors_of_text(&plan(GRID, &rest), &[]));
}

#[test]
fn exclusions_that_leave_nothing_are_an_error() {
    let rest = format!("[[grid.exclude]]\nthinking = [false, true]\n{TIMING}");
    assert!(errors_of_text(&plan(GRID, &rest), &[]).contains("the exclusions leave no cell"));
}

#[test]
fn a_listed_pair_that_differs_in_two_fields_is_an_error() {
    let rest = format!(
        "{TIMING}[[compare.pairs]]\nbefore = {{ quantization = \"f32\" }}\nafter = {{ quantization = \"q8_0\", \
         thinking = true }}\n"
    );
    let told = errors_of_text(&plan(GRID, &rest), &[]);
    assert!(told.contains("this pair differs in 2 controlled fields (quantization, thinking)"), "{told}");
}

#[test]
fn task_files_must_be_there_and_hold_tasks() {
    let missing = errors(&plan(GRID, &QUALITY.replace("two.jsonl", "three.jsonl")));
    assert!(missing.contains("three.jsonl"), "{missing}");
    let (folder, path) = crate::plan_cases::folder(&plan(GRID, QUALITY));
    std::fs::write(folder.path().join("two.jsonl"), "\n\n").expect("an empty task file");
    let empty = planrun::run::prepare(&path, &[]).expect_err("no task").to_string();
    assert!(empty.contains("no task in this file"), "{empty}");
    std::fs::write(folder.path().join("two.jsonl"), "{\"prompt\":\"1+1?\"}\n")
        .expect("a task without an answer");
    let open = planrun::run::prepare(&path, &[]).expect_err("no answer").to_string();
    assert!(open.contains("no task has an expected answer"), "{open}");
}

#[test]
fn runs_that_would_share_a_server_are_refused_where_no_engine_is_one() {
    let reasons =
        [("block", "no engine of this plan is a server"), ("attached", "not every cell has a `url`")];
    for (isolation, reason) in reasons {
        let text = plan(GRID, &format!("{TIMING}[schedule]\nisolation = \"{isolation}\"\n"));
        let line = text.lines().count();
        let told = errors_of_text(&text, &[]);
        assert!(told.contains(&format!("case.toml:{line}:13: `{isolation}`")), "{told}");
        assert!(told.contains(reason), "{told}");
        assert!(told.contains("use isolation = \"run\""), "{told}");
    }
    let text = plan(GRID, &format!("{TIMING}[schedule]\nisolation = \"run\"\n"));
    assert_eq!(errors_of_text(&text, &[]), "no error");
}

#[test]
fn absurd_sizes_are_refused_with_their_size() {
    let levels: Vec<String> = (1..=101).map(|level| level.to_string()).collect();
    let levels = levels.join(", ");
    let grid = format!(
        "thinking = [false, true]\nmax_tokens = [{levels}]\ncontext_length = [{levels}]\ntop_k = [{levels}]\n"
    );
    let told = errors_of_text(&plan(&grid, TIMING), &[]);
    assert!(told.contains("the grid has 2 x 101 x 101 x 101 = 2060602 cells"), "{told}");
    let grid = format!("thinking = [false, true]\ncontext_length = [{levels}]\nthreads = [{levels}]\n");
    let told = errors_of_text(&plan(&grid, &format!("{TIMING}[schedule]\nblocks = 1000\n")), &[]);
    assert!(told.contains("the plan has 20404000 runs"), "{told}");
}

#[test]
fn a_wrong_override_is_named_as_one() {
    let text = plan(GRID, TIMING);
    let told = errors_of_text(
        &text,
        &["settings.warmup=many", "settings.temprature=1", "schedule", "plan.seed=nan"],
    );
    assert_snapshot!(told);
}

#[test]
fn an_unreadable_plan_is_an_error_with_a_remedy() {
    let told =
        planrun::run::prepare(std::path::Path::new("nowhere.toml"), &[]).expect_err("no file").to_string();
    assert!(told.starts_with("nowhere.toml: cannot be read"), "{told}");
}

#[test]
fn the_head_alone_has_no_workload() {
    assert!(errors_of_text(HEAD, &[]).contains("`workload` is missing in the plan"));
}
