//! Why a GGUF file cannot be used.

use crate::engine::EngineError;
use std::path::{Path, PathBuf};

/// A file and what is wrong with it.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {flaw}; {}", flaw.remedy())]
pub struct GgufError {
    /// Which file; of a split model, which part.
    pub path: PathBuf,
    /// What is wrong with it.
    pub flaw: Flaw,
}

impl GgufError {
    pub(super) fn new(path: &Path, flaw: Flaw) -> Self {
        Self { path: path.to_owned(), flaw }
    }
}

impl From<GgufError> for EngineError {
    fn from(error: GgufError) -> Self {
        Self::Unusable {
            problem: error.flaw.to_string(),
            remedy: error.flaw.remedy().to_owned(),
            path: error.path,
        }
    }
}

/// What is wrong with a GGUF file.
#[derive(Debug, thiserror::Error)]
pub enum Flaw {
    /// The operating system refuses the file.
    #[error("the file cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It does not begin with `GGUF`.
    #[error("it begins with \"{}\" and not with \"GGUF\"", .0.escape_ascii())]
    Magic([u8; 4]),
    /// Another version than 2 and 3.
    #[error("it is GGUF version {0}, and versions 2 and 3 are read")]
    Version(u32),
    /// Written for a machine with the other byte order.
    #[error("it is a big-endian file (GGUF version {0}), and little-endian files are read")]
    BigEndian(u32),
    /// The file ends inside its own header.
    #[error("cut off at byte {at} of {size}, in {reading}: {needed} more bytes were expected, {} are left", size - at)]
    CutOff {
        /// What was being read.
        reading: String,
        /// Where, in bytes from the beginning.
        at: usize,
        /// Bytes that should have followed.
        needed: u64,
        /// Size of the file in bytes.
        size: usize,
    },
    /// The header contradicts itself or says what cannot be.
    #[error("byte {at}, in {reading}: {problem}")]
    Header {
        /// What was being read.
        reading: String,
        /// Where, in bytes from the beginning.
        at: usize,
        /// What is wrong.
        problem: String,
    },
    /// A metadata key does not hold what it should.
    #[error("metadata key `{key}`: {problem}")]
    Key {
        /// The key.
        key: String,
        /// What is wrong with its value.
        problem: String,
    },
    /// A metadata key asks for what this program does not do.
    #[error("metadata key `{key}`: {problem}")]
    Unsupported {
        /// The key.
        key: String,
        /// What cannot be done.
        problem: String,
    },
    /// A tensor does not lie in the file as the table says, or cannot be computed with.
    #[error("tensor `{name}`: {problem}")]
    Tensor {
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The parts of a split model do not fit together.
    #[error("{0}")]
    Split(String),
}

impl Flaw {
    pub(super) fn key(key: &str, problem: impl Into<String>) -> Self {
        Self::Key { key: key.to_owned(), problem: problem.into() }
    }

    pub(super) fn tensor(name: &str, problem: impl Into<String>) -> Self {
        Self::Tensor { name: name.to_owned(), problem: problem.into() }
    }

    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Io(_) => "check the path and who may read it",
            Self::Magic(found) => match found {
                b"FUGG" => {
                    "its byte order was changed by a tool that also reversed the magic; convert the model anew"
                }
                b"vers" => "this looks like a git-lfs pointer: fetch the file itself",
                _ => "name a GGUF file",
            },
            Self::BigEndian(_) => "turn it round with llama.cpp's gguf_convert_endian.py",
            Self::CutOff { .. } => "fetch it again: the download is incomplete",
            Self::Header { .. } => "fetch it again, or convert the model anew",
            Self::Version(_) | Self::Key { .. } => "convert the model anew with a current llama.cpp",
            Self::Unsupported { .. } => "choose another model",
            Self::Tensor { .. } => "fetch the file again, or choose another quantization of the model",
            Self::Split(_) => {
                "put all parts of one model into one folder, under the names they were made with"
            }
        }
    }
}
