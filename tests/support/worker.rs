//! Workers for tests: a shell script in the place of Python, and Python without any library.

use super::environment::skipped;
use super::folder::Folder;
use planrun::abilities::EngineKind;
use planrun::condition::{Settings, Stated};
use planrun::engine::{Engine, EngineError, open};
use planrun::generation::{Prompt, Request, Sampling};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A model, and a script that is started as its worker.
pub(crate) struct Desk {
    folder: Folder,
    pub(crate) settings: Settings,
}

/// What a worker says when the model is open.
pub(crate) const READY: &str = concat!(
    r#"echo '{"kind":"ready","python":"3.99","executable":null,"packages":[["transformers","5.0"],["torch","2.0"]],"#,
    r#""digest":null,"device":"cpu","weights":[["f16",12]],"cache":"f16","threads":3,"context_length":64}'"#
);

impl Desk {
    /// A shell that runs `script` under the name of a Python interpreter.
    pub(crate) fn with_script(engine: EngineKind, script: &str) -> Self {
        let folder = Folder::new();
        symlink("/bin/sh", folder.at("python-shell")).unwrap();
        fs::write(folder.at("script"), script).unwrap();
        let settings = Settings {
            model: Stated::Set("tiny".to_owned()),
            engine: Stated::Set(engine),
            program: Stated::Set("tiny/python-shell".to_owned()),
            arguments: Stated::Set(vec![folder.at("script").display().to_string()]),
            ..Settings::default()
        };
        Self { folder, settings }
    }

    /// A worker that says `ready` once it has heard what to open, and `answer` for each request. What it hears is kept.
    pub(crate) fn saying(ready: &str, answer: &str) -> Self {
        let desk = Self::with_script(EngineKind::Transformers, "");
        let heard = desk.folder.at("heard");
        let heard = heard.display();
        let script = format!(
            "read -r program\nread -r opening\nprintf '%s\\n' \"$opening\" >> '{heard}'\n{ready}\n\
             while read -r request; do\nprintf '%s\\n' \"$request\" >> '{heard}'\n{answer}\ndone\n"
        );
        fs::write(desk.folder.at("script"), script).unwrap();
        desk
    }

    /// Python with the stand-in for MLX-LM; `None`, and a line that says so, where there is no Python.
    pub(crate) fn with_pretended_mlx() -> Option<Self> {
        if !has_python() {
            return None;
        }
        let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/worker");
        let script = format!("PYTHONPATH='{cases}' PYTHONDONTWRITEBYTECODE=1 exec python3 \"$@\"");
        Some(Self::with_script(EngineKind::MlxLm, &script))
    }

    pub(crate) fn base(&self) -> PathBuf {
        self.folder.at("").parent().map_or_else(PathBuf::new, Path::to_owned)
    }

    pub(crate) fn open(&self) -> Result<Box<dyn Engine>, EngineError> {
        open(&self.settings, &self.base(), None)
    }

    /// Why the engine does not open.
    pub(crate) fn refusal(&self) -> String {
        self.open().map(|_| ()).unwrap_err().to_string()
    }

    /// Each line that the worker got after its program.
    pub(crate) fn heard(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.at("heard")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// True where Python can be started; else it is said that the test is skipped.
pub(crate) fn has_python() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        skipped("there is no python3");
    }
    there
}

/// A greedy request.
pub(crate) fn request(ids: &[u32], max_tokens: u32) -> Request {
    let prompt = Prompt { text: "as written".to_owned(), ids: Some(ids.to_vec()), chat: None };
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 7 };
    Request { prompt, max_tokens, sampling, ignore_eos: false }
}
