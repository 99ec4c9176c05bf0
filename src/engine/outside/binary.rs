//! Which program it is: the bytes of its file and of what belongs to it, wherever that lies.

use super::program::{interpreter, shebang};
use super::python;
use crate::abilities::names_an_interpreter;
use crate::engine::weights_hash;
use crate::fingerprint;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Most bytes of a file that is read as a script.
const MOST_SCRIPT: u64 = 1 << 20;

/// SHA-256 of a program and of the shared libraries beside it (`lib*.so*`, `lib*.dylib`): llama.cpp keeps its kernels
/// there, and another build of them is another program. Of a Python script it is that of its text, its interpreter and the packages
/// that it imports; `None` where these cannot be found. Of any other script it is that of its text: what it starts is not known.
/// Names and places do not count.
///
/// # Errors
/// When a file cannot be read; which.
pub fn identity(program: &Path) -> Result<Option<String>, (PathBuf, io::Error)> {
    let program = program.canonicalize().map_err(|error| (program.to_owned(), error))?;
    let Some((script, python)) = python_script(&program) else { return of_files(&program).map(Some) };
    let Some(packages) = python::identity(&script, &python) else { return Ok(None) };
    Ok(Some(fingerprint::of_parts([packages, of_files(&python)?])))
}

/// A script and the Python interpreter that its first line names.
fn python_script(program: &Path) -> Option<(Vec<u8>, PathBuf)> {
    let is_small = fs::metadata(program).is_ok_and(|data| data.len() <= MOST_SCRIPT);
    let script = is_small.then(|| fs::read(program).ok())??;
    let interpreter = interpreter(&shebang(&script)?).ok()?;
    let name = interpreter.file_name()?.to_string_lossy().into_owned();
    names_an_interpreter(&name).then_some((script, interpreter))
}

fn of_files(program: &Path) -> Result<String, (PathBuf, io::Error)> {
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
