//! Guessing tokens ahead: `draft:FILE.gguf` by a smaller model, `ngram:N` by what followed the same N tokens earlier.

use super::gguf_file::gguf_file;
use crate::abilities::{Guesser, UnknownGuesser, guesser};
use crate::condition::{Settings, Stated};
use crate::engine::EngineError;
use crate::engine::gguf::Gguf;
use std::path::{Path, PathBuf};

/// Who guesses.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Speculation {
    /// The model in this file.
    Draft(PathBuf),
    /// The text so far, looked up by so many tokens.
    Ngram(u32),
}

impl Speculation {
    /// What the settings ask for.
    ///
    /// # Errors
    /// For words that are not llama.cpp's, and a draft that is no GGUF file.
    pub(super) fn of(settings: &Settings, base: &Path) -> Result<Option<Self>, EngineError> {
        let Some(written) = settings.speculation.get() else { return Ok(None) };
        match guesser(written) {
            Ok(Guesser::Draft(file)) => Ok(Some(Self::Draft(gguf_file(file, base)?))),
            Ok(Guesser::Ngram(size)) => Ok(Some(Self::Ngram(size))),
            Err(UnknownGuesser { problem, remedy }) => {
                Err(EngineError::Unsupported { field: "speculation", problem, remedy })
            }
        }
    }

    /// The options that ask for it.
    pub(super) fn arguments(&self) -> Vec<String> {
        match self {
            Self::Draft(file) => {
                ["-md", &file.display().to_string(), "--spec-type", "draft-simple"].map(str::to_owned).into()
            }
            Self::Ngram(size) => {
                ["--spec-type", "ngram-simple", "--spec-ngram-simple-size-n", &size.to_string()]
                    .map(str::to_owned)
                    .into()
            }
        }
    }
}

/// What a server guesses with that planrun started: of a draft model the SHA-256 of its weights, wherever its file lies.
pub(super) fn started_with(settings: &Settings, base: &Path) -> Result<Stated<String>, EngineError> {
    Ok(match Speculation::of(settings, base)? {
        None => Stated::Unset,
        Some(Speculation::Draft(file)) => {
            format!("draft:{}", Gguf::open(&file)?.weights_fingerprint()?).into()
        }
        Some(Speculation::Ngram(size)) => format!("ngram:{size}").into(),
    })
}
