//! Which program it is: the bytes of its file, wherever that lies.

use crate::engine::weights_hash;
use std::io;
use std::path::{Path, PathBuf};

/// SHA-256 of a program and of the shared libraries beside it (`lib*.so*`, `lib*.dylib`): llama.cpp keeps its kernels
/// there, and another build of them is another program. Names and places do not count.
pub fn identity(program: &Path) -> Result<String, (PathBuf, io::Error)> {
    let program = program.canonicalize().map_err(|error| (program.to_owned(), error))?;
    let mut files = libraries(&program);
    files.sort();
    files.dedup();
    let paths: Vec<&Path> = [&program].into_iter().chain(&files).map(PathBuf::as_path).collect();
    weights_hash::of_files(&paths)
}

/// Links are followed, so that a library counts once however many names it has.
fn libraries(program: &Path) -> Vec<PathBuf> {
    let folder = program.parent().and_then(|folder| folder.read_dir().ok());
    let is_library = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("lib") && (name.contains(".so") || name.ends_with(".dylib"))
    };
    let paths = folder.into_iter().flatten().flatten().map(|entry| entry.path());
    paths.filter(|path| is_library(path)).filter_map(|path| path.canonicalize().ok()).collect()
}
