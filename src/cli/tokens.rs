//! `planrun tokens`: how many tokens a text is to each of several models.

use super::network::have_named;
use super::output::{complain, print};
use crate::condition::{Settings, Stated};
use crate::engine::{self, EngineError};
use crate::exit::Exit;
use clap::Args;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Count the tokens of a text under several models: what a token is worth differs
#[derive(Debug, Args)]
pub(super) struct TokensArguments {
    /// A text file, UTF-8.
    file: PathBuf,
    /// The models, as `model` in a plan names them (`hf:` ones are fetched); the ratios are to the first.
    #[arg(long, required = true, num_args = 1.., value_name = "MODEL")]
    models: Vec<String>,
}

/// Prints a table with one line a model to standard output.
pub(super) fn run(arguments: &TokensArguments) -> Exit {
    let text = match read(&arguments.file) {
        Ok(text) => text,
        Err(problem) => {
            complain(&format!("{}: {problem}", arguments.file.display()));
            return Exit::Internal;
        }
    };
    if let Err(exit) = have_named(&arguments.models) {
        return exit;
    }
    let counts = arguments.models.iter().map(|model| Ok((model.as_str(), count(model, &text)?)));
    match counts.collect::<Result<Vec<_>, EngineError>>() {
        Ok(counts) => {
            print(&table(&arguments.file, &text, &counts));
            Exit::Done
        }
        Err(error) => {
            complain(&error);
            Exit::EngineUnavailable
        }
    }
}

fn read(file: &Path) -> Result<String, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|error| {
        format!("byte {} is not UTF-8; save the file as UTF-8", error.utf8_error().valid_up_to())
    })?;
    if text.trim().is_empty() { Err("it holds no text".to_owned()) } else { Ok(text) }
}

/// Tokens of the text alone, without a template or a beginning-of-sequence token.
fn count(model: &str, text: &str) -> Result<usize, EngineError> {
    let settings = Settings { model: Stated::Set(model.to_owned()), ..Settings::default() };
    Ok(engine::open_to_write(&settings, Path::new(""))?.tokenize(text)?.len())
}

fn table(file: &Path, text: &str, counts: &[(&str, usize)]) -> String {
    let characters = text.chars().count();
    let words = text.split_whitespace().count();
    let width = counts.iter().map(|(model, _)| model.chars().count()).max().unwrap_or(0).max("model".len());
    let first = counts.first().map_or(1, |(_, tokens)| *tokens).max(1) as f64;
    let mut out = format!("{}: {characters} characters, {words} words\n", file.display());
    let heads = ["tokens", "per character", "per word", "ratio"];
    let _ = writeln!(out, "{:width$}{}", "model", heads.map(|head| format!("{head:>15}")).concat());
    for (model, tokens) in counts {
        let shares =
            [*tokens as f64 / characters as f64, *tokens as f64 / words as f64, *tokens as f64 / first];
        let shares = shares.map(|share| format!("{share:>15.3}")).concat();
        let _ = writeln!(out, "{model:width$}{tokens:>15}{shares}");
    }
    out
}
