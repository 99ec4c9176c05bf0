//! `planrun init`: writes a commented plan to start from.

use crate::abilities::PICO;
use crate::exit::Exit;
use clap::Args;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The plan that is written; `{name}` and `{model}` are filled in.
const TEMPLATE: &str = include_str!("init.toml");

/// Write a commented plan to start from.
#[derive(Debug, Args)]
pub(super) struct InitArguments {
    /// The embedded model (`pico`), a GGUF file, a Hugging Face folder, or `hf:ORG/NAME@COMMIT`.
    #[arg(default_value = PICO)]
    model: String,
    /// Where to write; never overwrites.
    #[arg(short, long, default_value = "plans/first.toml")]
    output: PathBuf,
}

/// Writes the plan and says what to do next.
pub(super) fn run(arguments: &InitArguments) -> Exit {
    let path = &arguments.output;
    let name = plan_name(path);
    let model = model_from(&arguments.model, path);
    let text = TEMPLATE.replace("{name}", &name).replace("{model}", &toml::Value::from(model).to_string());
    match write_new(path, &text) {
        Ok(()) => {
            let path = path.display();
            super::output::print(&format!("{path}\nnext: planrun check {path}\n"));
            Exit::Done
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            super::output::complain(&format!(
                "{}: exists already; name another file with --output",
                path.display()
            ));
            Exit::Usage
        }
        Err(error) => {
            super::output::complain(&format!("{}: {error}; name another file with --output", path.display()));
            Exit::Internal
        }
    }
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::File::create_new(path)?.write_all(text.as_bytes())
}

/// The file's stem, in the letters that a plan's name may have.
fn plan_name(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
    let letters = stem.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' });
    let name: String = letters.skip_while(|letter| *letter == '-').take(60).collect();
    if name.is_empty() { "first".into() } else { name }
}

/// The model as the plan names it: a file that is there by its full path, since a plan's paths are relative to the plan.
fn model_from(model: &str, plan: &Path) -> String {
    let beside = plan.parent().is_some_and(|folder| folder.join(model).exists());
    let full = Path::new(model).canonicalize().ok().filter(|_| model != PICO && !beside);
    full.map_or_else(|| model.to_owned(), |path| path.display().to_string())
}
