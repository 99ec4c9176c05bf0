//! What `compare` and `explain` share: two records named on the command line, and fields assumed to be equal.

use crate::condition::Field;
use crate::exit::Exit;
use crate::fingerprint;
use crate::record::{FORMAT, RunRecord, load_one};
use clap::Args;
use serde_json::Value;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Two records.
#[derive(Debug, Args)]
pub(super) struct PairArguments {
    /// First record: a file, or FOLDER:RUN-ID in a store or a published report
    before: String,
    /// Second record
    after: String,
    /// Take this unknown field as equal on both sides (may be repeated)
    #[arg(long = "assume", value_name = "FIELD", value_parser = field)]
    pub(super) assume: Vec<Field>,
}

fn field(name: &str) -> Result<Field, String> {
    let likeness = |field: &&Field| strsim::jaro_winkler(name, field.name());
    let nearest = || Field::ALL.iter().max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
    Field::named(name).ok_or_else(|| {
        nearest().map_or_else(String::new, |near| format!("no such field; did you mean `{near}`?"))
    })
}

impl PairArguments {
    /// Reads both records, or tells on standard error why it cannot.
    pub(super) fn load(&self) -> Result<(RunRecord, RunRecord), Exit> {
        Ok((read(&self.before)?, read(&self.after)?))
    }

    /// The rendered prompt of this fingerprint, from the stores that the records stand in.
    pub(super) fn render(&self, prompt: &str) -> Option<String> {
        [&self.before, &self.after].into_iter().find_map(|name| find_render(&renders_near(name), prompt))
    }
}

fn read(name: &str) -> Result<RunRecord, Exit> {
    let problem = match load_one(name) {
        Ok(record) if record.format <= FORMAT => return Ok(record),
        Ok(record) => format!(
            "{name}: this record has format {}, and this planrun reads up to {FORMAT}; use a newer planrun",
            record.format
        ),
        Err(error) => error.to_string(),
    };
    complain(&problem);
    Err(Exit::Internal)
}

/// Tells of a problem on standard error.
pub(super) fn complain(problem: &str) {
    // Nothing is left to do when stderr is closed.
    let _ = writeln!(io::stderr(), "planrun: {problem}");
}

/// Prints an answer; a closed pipe is the reader's decision, not a failure.
pub(super) fn answer(text: &str) {
    let _ = writeln!(io::stdout(), "{}", text.trim_end());
}

/// The folder of rendered prompts of the store that a record stands in: `STORE:ID` or `STORE/runs/ID.json`.
fn renders_near(name: &str) -> PathBuf {
    let path = Path::new(name);
    let store = match name.rsplit_once(':') {
        Some((folder, _)) if !path.exists() => Path::new(folder),
        _ => path.parent().and_then(Path::parent).unwrap_or(path),
    };
    store.join("renders")
}

fn find_render(folder: &Path, prompt: &str) -> Option<String> {
    let files = fs::read_dir(folder).ok()?.filter_map(|entry| fs::read_to_string(entry.ok()?.path()).ok());
    files
        .flat_map(|text| texts(&text))
        .find(|text| fingerprint::short(&fingerprint::of_bytes(text.as_bytes())) == prompt)
}

/// The `text` of each render of a file: a JSON array, or one object a line.
fn texts(file: &str) -> Vec<String> {
    let values: Vec<Value> = match serde_json::from_str(file) {
        Ok(Value::Array(list)) => list,
        _ => file.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
    };
    values.iter().filter_map(|value| Some(value.get("text")?.as_str()?.to_owned())).collect()
}
