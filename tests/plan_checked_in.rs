//! The plans and schemas that are checked in.

use planrun::plan::{Planned, plan_schema};
use planrun::run::prepare;
use planrun::schema;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn plan(name: &str) -> Planned {
    prepare(&root().join("plans").join(name), &[]).unwrap_or_else(|errors| panic!("{errors}"))
}

fn plans() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("plans")).expect("the plans folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect()
}

#[test]
fn the_checked_in_schemas_are_those_of_the_types() {
    assert_eq!(schema::stale(&root().join("schemas")), Vec::<PathBuf>::new(), "run `planrun schema`");
}

#[test]
fn every_checked_in_plan_is_valid_and_names_its_schema_first() {
    assert!(plans().len() >= 3);
    for path in plans() {
        prepare(&path, &[]).unwrap_or_else(|errors| panic!("{errors}"));
        let text = std::fs::read_to_string(&path).expect("a plan");
        assert_eq!(text.lines().next(), Some("#:schema ../schemas/plan.schema.json"), "{}", path.display());
    }
}

#[test]
fn pico_quant_compares_three_factors() {
    let planned = plan("pico-quant.toml");
    assert_eq!(planned.cells.len(), 16);
    assert_eq!(planned.graph.edge_count(), 28);
    assert_eq!(planned.workloads[1].arms.len(), 5, "four quantizations and the control");
}

#[test]
fn pico_smoke_has_over_a_hundred_runs() {
    assert!(plan("pico-smoke.toml").run_count() > 100);
}

#[test]
fn every_key_of_the_plans_schema_is_described() {
    let schema = plan_schema();
    let definitions = schema["definitions"].as_object().expect("definitions").values();
    for table in definitions.chain([&schema]).filter_map(|node| node["properties"].as_object()) {
        for (key, property) in table {
            let described = property.get("description").is_some() || property.get("$ref").is_some();
            assert!(described, "{key}: {property}");
        }
    }
}

#[test]
fn every_key_of_the_plan_is_explained_in_the_docs() {
    let docs = std::fs::read_to_string(root().join("docs/plan-format.md")).expect("the docs");
    for key in planrun::plan::settings_keys() {
        assert!(docs.contains(&format!("`{key}`")), "{key}");
    }
}

#[test]
fn the_plan_that_init_writes_is_valid() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("first.toml");
    let mut command = assert_cmd::Command::cargo_bin("planrun").expect("the program");
    command.args(["init", "--output"]).arg(&path).assert().success();
    prepare(&path, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let mut again = assert_cmd::Command::cargo_bin("planrun").expect("the program");
    again.args(["init", "--output"]).arg(&path).assert().code(2);
}

#[test]
fn check_ends_with_three_and_all_errors_for_an_invalid_plan() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wrong.toml");
    std::fs::write(&path, "[plan]\nname = \"wrong\"\n").expect("a file");
    let output = check(&path);
    assert_eq!(output.status.code(), Some(3));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("`question` is missing") && told.contains("`workload` is missing"), "{told}");
    assert!(output.stdout.is_empty());
}

#[test]
fn check_prints_cells_edges_runs_collapse_and_resolution() {
    // Elsewhere, so that earlier records of this plan do not price it.
    let folder = tempfile::tempdir().expect("a folder");
    let tasks = folder.path().join("plans/tasks");
    std::fs::create_dir_all(&tasks).expect("a folder");
    for name in ["pico-quant.toml", "tasks/pico-mixed.jsonl"] {
        std::fs::copy(root().join("plans").join(name), folder.path().join("plans").join(name))
            .expect("a copy");
    }
    let output = check(&folder.path().join("plans/pico-quant.toml"));
    let told = String::from_utf8(output.stdout).expect("text");
    insta::assert_snapshot!(
        told.lines().filter(|line| !line.starts_with("plan hash")).collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn graphs_are_drawn_in_both_languages() {
    let path = root().join("plans/pico-smoke.toml");
    let draw = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::cargo_bin("planrun").expect("the program");
        let output = command.arg("graph").arg(&path).args(arguments).output().expect("it runs");
        String::from_utf8(output.stdout).expect("text")
    };
    let dot = draw(&["--format", "dot"]);
    assert!(dot.starts_with("digraph plan {") && dot.contains("n0 -> n7 [label=\"quantization\"];"), "{dot}");
    let tasks = draw(&["--format", "mermaid", "--tasks"]);
    assert!(tasks.starts_with("flowchart LR") && tasks.contains("timing block 6: 18 runs"), "{tasks}");
}

fn check(path: &Path) -> std::process::Output {
    let mut command = assert_cmd::Command::cargo_bin("planrun").expect("the program");
    command.args(["check", "--no-probe"]).arg(path).output().expect("it runs")
}
