//! Where the file of a model lies.

use crate::engine::model_files::{self, Found};
use crate::engine::{EngineError, MODELS_VARIABLE};
use std::path::{Path, PathBuf};

/// The whole path of a model's file: no program is started in a particular folder.
///
/// # Errors
/// When there is none, or it is a folder.
pub(super) fn gguf_file(name: &str, base: &Path) -> Result<PathBuf, EngineError> {
    match model_files::find(name, base)? {
        Found::Gguf(file) => Ok(std::path::absolute(&file).unwrap_or(file)),
        Found::Folder(folder) => Err(EngineError::Unusable {
            path: folder,
            problem: "llama.cpp reads GGUF files, and this is a folder".to_owned(),
            remedy: format!(
                "convert it (convert_hf_to_gguf.py of llama.cpp), and name the file, relative to the plan or under \
                 ${MODELS_VARIABLE}"
            ),
        }),
    }
}
