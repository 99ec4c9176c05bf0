//! Small plans for the tests of planning, in folders of their own.

use planrun::plan::{Planned, prepare_text};
use planrun::run::prepare;
use std::path::{Path, PathBuf};

/// A plan with three factors and both kinds of workload; `{grid}` and `{rest}` are filled in.
pub(crate) const HEAD: &str = r#"#:schema ../schemas/plan.schema.json
[plan]
name = "case"
question = "What differs?"

[settings]
model = "pico"
engine = "scripted"
temperature = 0
warmup = 1
scorer = "exact"
"#;

/// The settings of [`HEAD`], a grid, and whatever follows.
pub(crate) fn plan(grid: &str, rest: &str) -> String {
    format!("{HEAD}\n[grid]\n{grid}\n{rest}")
}

/// A timing workload of fixed length.
pub(crate) const TIMING: &str = "[[workload]]\nname = \"timing\"\nprompt_tokens = 8\ngen_tokens = 8\n";

/// A workload that scores two tasks.
pub(crate) const QUALITY: &str = "[[workload]]\nname = \"quality\"\ntasks = \"two.jsonl\"\nquality = true\n";

/// Two tasks.
pub(crate) const TWO_TASKS: &str =
    "{\"prompt\":\"1+1?\",\"expected\":\"2\"}\n{\"prompt\":\"2+2?\",\"expected\":\"4\"}\n";

/// Three factors: 2 x 2 x 3 = 12 cells.
pub(crate) const GRID: &str =
    "quantization = [\"f32\", \"q8_0\"]\nthinking = [false, true]\nmax_tokens = [16, 32, 64]\n";

/// A folder with a plan and `two.jsonl`.
pub(crate) fn folder(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("two.jsonl"), TWO_TASKS).expect("tasks");
    let path = folder.path().join("case.toml");
    std::fs::write(&path, text).expect("plan");
    (folder, path)
}

/// Works a valid plan out.
pub(crate) fn planned(text: &str) -> Planned {
    let (_folder, path) = folder(text);
    prepare(&path, &[]).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The errors of an invalid plan, as printed; the path is shortened.
pub(crate) fn errors(text: &str) -> String {
    let (folder, path) = folder(text);
    let Err(errors) = prepare(&path, &[]) else { panic!("this plan is valid:\n{text}") };
    errors.to_string().replace(&format!("{}/", folder.path().display()), "")
}

/// The errors of an invalid plan that needs no files.
pub(crate) fn errors_of_text(text: &str, overrides: &[&str]) -> String {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    match prepare_text(Path::new("case.toml"), text, &overrides, &planrun::engine::model_facts) {
        Ok(_) => "no error".into(),
        Err(errors) => errors.to_string(),
    }
}
