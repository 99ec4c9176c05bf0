//! The program of an engine outside: where it is, and why it cannot be started.

use crate::condition::Stated;
use crate::engine::EngineError;
use rustix::fs::{Access, access};
use std::env;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Bytes of a file that tell what it is; the kernel looks at no more of a script's first line.
const FIRST_BYTES: u64 = 256;

/// Finds the program that the settings name, or `usual`: a bare name on the search path, any other relative to `base`.
///
/// # Errors
/// When it is not there, or is nothing that could be started.
pub(in crate::engine) fn program(
    named: &Stated<String>,
    usual: &str,
    base: &Path,
) -> Result<PathBuf, EngineError> {
    let name = named.get().map_or(usual, String::as_str);
    if name.contains('/') {
        return startable(base.join(name));
    }
    let found: Vec<PathBuf> = on_path(name).collect();
    match found.iter().find(|place| is_executable(place)).or(found.first()) {
        Some(place) => startable(place.clone()),
        None => Err(not_there(PathBuf::from(name), "it is in no folder of PATH")),
    }
}

fn on_path(name: &str) -> impl Iterator<Item = PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
    let name = name.to_owned();
    folders.into_iter().map(move |folder| folder.join(&name)).filter(|place| place.is_file())
}

fn is_executable(path: &Path) -> bool {
    access(path, Access::EXEC_OK).is_ok()
}

fn startable(path: PathBuf) -> Result<PathBuf, EngineError> {
    if path.is_dir() {
        let remedy = "name the program inside it with `program`".to_owned();
        return Err(unusable(path, "this is a folder, and not a program".to_owned(), remedy));
    }
    if !path.is_file() {
        return Err(not_there(path, "it does not exist"));
    }
    if !is_executable(&path) {
        let remedy = format!("`chmod +x {}`, or name another one with `program`", path.display());
        return Err(unusable(path, "this file may not be executed".to_owned(), remedy));
    }
    match shebang(&first_bytes(&path)).and_then(|line| wrong_interpreter(&line)) {
        Some((problem, remedy)) => Err(unusable(path, problem, remedy.to_owned())),
        None => Ok(path),
    }
}

fn not_there(path: PathBuf, problem: &str) -> EngineError {
    EngineError::NoProgram { path, problem: problem.to_owned() }
}

fn unusable(path: PathBuf, problem: String, remedy: String) -> EngineError {
    EngineError::Unusable { path, problem, remedy }
}

/// The beginning of a file; nothing of one that cannot be read, which the kernel may start all the same.
fn first_bytes(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What was read before an error is all there is.
    let _ = File::open(path).map(|file| file.take(FIRST_BYTES).read_to_end(&mut bytes));
    bytes
}

/// What stands behind `#!` in the first line of a script.
pub(super) fn shebang(bytes: &[u8]) -> Option<String> {
    let line = bytes.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).into_owned())
}

/// The interpreter that a script's first line names, as a file; the name alone where it is not there.
pub(super) fn interpreter(line: &str) -> Result<PathBuf, String> {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    if !first.ends_with("/env") {
        let path = PathBuf::from(first);
        return if path.is_file() { Ok(path) } else { Err(first.to_owned()) };
    }
    // Options of env (`-S`), and variables that it sets.
    let name = words.find(|word| !word.starts_with('-') && !word.contains('=')).unwrap_or_default();
    on_path(name).next().ok_or_else(|| name.to_owned())
}

fn wrong_interpreter(line: &str) -> Option<(String, &'static str)> {
    if line.ends_with('\r') {
        let problem = "the first line of this script ends as lines do on Windows (CR LF)".to_owned();
        return Some((problem, "save it with Unix line ends"));
    }
    let missing = interpreter(line).err()?;
    Some((
        format!("this is a script for `{missing}`, which is not on this machine"),
        "install that interpreter, or install the script anew: a virtual environment that was moved keeps its old paths",
    ))
}

/// Why a program that is there did not start: what the system says, or what lies behind it.
pub fn not_started(program: &Path, error: &io::Error) -> String {
    let bytes = first_bytes(program);
    let this = env::consts::ARCH;
    match (error.kind(), bytes.as_slice()) {
        (io::ErrorKind::NotFound, [0x7f, b'E', b'L', b'F', ..]) => {
            "its loader is not on this machine: it was built for another C library; get a build for this system".into()
        }
        (_, [0x7f, b'E', b'L', b'F', ..]) if is_no_program(error) => {
            let made_for = processor(&bytes).unwrap_or("another processor");
            format!("it was built for {made_for}, and this machine is {this}; get a build for this one")
        }
        (_, [b'M', b'Z', ..]) if is_no_program(error) => {
            "it is a program for Windows; get a build for this system".into()
        }
        (_, [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] | [0xca, 0xfe, 0xba, 0xbe, ..]) if is_no_program(error) => {
            format!("it is a program for macOS, or for another processor than {this}; get a build for this one")
        }
        _ if is_no_program(error) => {
            "it is neither a program nor a script with its interpreter in the first line (`#!/bin/sh`)".into()
        }
        _ => error.to_string(),
    }
}

/// `ENOEXEC`.
fn is_no_program(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error())
}

/// The processor that an ELF file is for (`e_machine`, <https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html>).
fn processor(elf: &[u8]) -> Option<&'static str> {
    let machine = [*elf.get(18)?, *elf.get(19)?];
    let machine =
        if elf.get(5) == Some(&2) { u16::from_be_bytes(machine) } else { u16::from_le_bytes(machine) };
    match machine {
        3 => Some("x86 (32 bits)"),
        21 => Some("PowerPC (64 bits)"),
        22 => Some("s390"),
        40 => Some("ARM (32 bits)"),
        62 => Some("x86-64"),
        183 => Some("ARM (64 bits, aarch64)"),
        243 => Some("RISC-V"),
        258 => Some("LoongArch"),
        _ => None,
    }
}
