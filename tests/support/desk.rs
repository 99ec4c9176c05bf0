//! A folder with a plan on the scripted engine, a lock of its own, and the real binary.

use planrun::record::{RunRecord, Store, load};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub(crate) struct Desk {
    folder: TempDir,
}

/// How a command ended.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

const TASKS: &str = r#"{"id":"a","prompt":"say yes","expected":"yes"}
{"id":"b","prompt":"say no","expected":"no"}
{"id":"c","prompt":"say maybe","expected":"maybe"}
"#;

const SETTINGS: [&str; 8] = [
    r#"engine = "scripted""#,
    r#"model = "scripted:noise=0.02""#,
    r#"quantization = "q8_0""#,
    "thinking = false",
    "warmup = 1",
    r#"scorer = "exact""#,
    "max_tokens = 64",
    "temperature = 0",
];

/// A plan with this grid; `schedule` are further lines of its table.
pub(crate) fn plan(grid: &str, schedule: &str) -> String {
    let key = |line: &str| line.split(' ').next().map(str::to_owned);
    let varied: Vec<_> = grid.lines().map(key).collect();
    let settings: Vec<&str> = SETTINGS.into_iter().filter(|line| !varied.contains(&key(line))).collect();
    let settings = settings.join("\n");
    format!(
        r#"[plan]
name = "desk"
question = "Does it run?"
seed = 3

[settings]
{settings}

[grid]
{grid}

[[workload]]
name = "quality"
tasks = "tasks.jsonl"
quality = true
timing = false

[[workload]]
name = "timing"
prompt_tokens = 32
gen_tokens = 16

[schedule]
{schedule}
"#
    )
}

impl Desk {
    pub(crate) fn new(plan: &str) -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(desk.at("plans")).unwrap();
        fs::write(desk.at("plans/tasks.jsonl"), TASKS).unwrap();
        desk.write_plan(plan);
        desk
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write_plan(&self, plan: &str) {
        fs::write(self.at("plans/desk.toml"), plan).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("planrun"));
        command.args(arguments);
        // What a machine's owner has running is no matter of these tests.
        if arguments.first() == Some(&"run") {
            command.arg("--beside-servers");
        }
        command.current_dir(self.folder.path()).env("XDG_RUNTIME_DIR", self.folder.path());
        command.env("XDG_CONFIG_HOME", self.at("config"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ended { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// `planrun run` of the plan, with further arguments.
    pub(crate) fn run_plan(&self, arguments: &[&str]) -> Ended {
        self.run(&[&["run", "plans/desk.toml"], arguments].concat())
    }

    /// The stores, the oldest first.
    pub(crate) fn stores(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.at(".planrun")) else { return Vec::new() };
        let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        folders.sort();
        folders
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.stores().remove(0)
    }

    pub(crate) fn records(&self) -> Vec<RunRecord> {
        Store::at(&self.store()).unwrap().certified_records().unwrap()
    }

    pub(crate) fn published(&self) -> Vec<RunRecord> {
        load(&self.at("reports/desk")).unwrap()
    }

    pub(crate) fn record_path(&self, id: &str) -> PathBuf {
        self.store().join("runs").join(format!("{id}.json"))
    }
}

/// A record without what may differ between two equal runs: its circumstances.
pub(crate) fn without_context(record: &RunRecord) -> RunRecord {
    RunRecord { context: planrun::record::Context::default(), ..record.clone() }
}

/// The report's files in a folder.
pub(crate) fn report_files(folder: &Path) -> Vec<(String, String)> {
    let read = |name: &str| (name.to_owned(), fs::read_to_string(folder.join(name)).unwrap());
    ["report.md", "report.html", "report.json"].map(read).to_vec()
}
