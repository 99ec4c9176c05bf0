//! The floors of the house: a room imports only from lower floors, and the nevers hold.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms by floor, top first. Rooms on one floor do not import each other, except where [`NEIGHBOURS`] says so.
const FLOORS: &[&[&str]] = &[
    &["main"],
    &["cli"],
    &["report", "schema"],
    &["run", "import"],
    &["compare"],
    &["workload", "record"],
    &["engine", "measure", "plan"],
    &["condition"],
    &["task", "abilities", "constraint"],
    &["generation", "stats", "fingerprint", "hub_cache", "process", "shell", "exit"],
];

/// What a room must never see, although it stands on a lower floor.
const NEVERS: &[(&str, &str)] =
    &[("compare", "engine"), ("report", "engine"), ("report", "run"), ("engine", "plan")];

/// One import: the importing room, its file, and the room imported.
struct Import {
    from: String,
    file: PathBuf,
    to: String,
}

#[test]
fn rooms_import_only_from_lower_floors() {
    let wrong: Vec<String> = imports()
        .into_iter()
        .filter(|import| import.from != import.to && floor(&import.to) <= floor(&import.from))
        .map(|import| format!("{}: {} imports {}", import.file.display(), import.from, import.to))
        .collect();
    assert!(wrong.is_empty(), "imports that do not go down:\n{}", wrong.join("\n"));
}

#[test]
fn the_nevers_hold() {
    let wrong: Vec<String> = imports()
        .into_iter()
        .filter(|import| NEVERS.contains(&(import.from.as_str(), import.to.as_str())))
        .map(|import| format!("{}: {} must never see {}", import.file.display(), import.from, import.to))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn statistics_know_no_planrun_type() {
    let seen: BTreeSet<String> =
        imports().into_iter().filter(|import| import.from == "stats").map(|import| import.to).collect();
    assert!(seen.iter().all(|room| room == "stats"), "stats imports {seen:?}");
}

#[test]
fn only_the_command_line_writes_to_standard_output() {
    let wrong: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|file| room(file) != "cli")
        .filter(|file| mentions(&code(file), &["print!(", "println!(", "io::stdout(", "stdout()"]))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn only_the_stopwatch_reads_the_clock_for_a_measurement() {
    let wrong: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|file| {
            matches!(room(file).as_str(), "engine" | "workload" | "measure" | "compare" | "report")
        })
        .filter(|file| !file.starts_with("src/engine/pico/trainer"))
        .filter(|file| mentions(&code(file), &["Instant::now", "SystemTime::now"]))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn files_stay_below_400_lines() {
    let mut files = sources();
    files.extend(rust_files(Path::new("tests")));
    let long: Vec<String> = files
        .into_iter()
        .map(|file| (fs::read_to_string(&file).unwrap().lines().count(), file))
        .filter(|(lines, _)| *lines > 400)
        .map(|(lines, file)| format!("{} ({lines})", file.display()))
        .collect();
    assert!(long.is_empty(), "{long:?}");
}

#[test]
fn every_face_holds_no_logic() {
    let wrong: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|file| file.ends_with("mod.rs"))
        .filter(|file| mentions(&code(file), &["fn ", "struct ", "enum ", "impl "]))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

fn mentions(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Every `crate::` and `super::` path of every source file, resolved to the room it leads to.
fn imports() -> Vec<Import> {
    let mut found = Vec::new();
    for file in sources() {
        let from = room(&file);
        let text = code(&file);
        let rooms = rooms_after(&text, "crate::").into_iter().chain(rooms_after(&text, "planrun::"));
        for to in rooms.filter(|name| FLOORS.iter().any(|floor| floor.contains(&name.as_str()))) {
            found.push(Import { from: from.clone(), file: file.clone(), to });
        }
        for to in rooms_through_super(&file, &text) {
            found.push(Import { from: from.clone(), file: file.clone(), to });
        }
    }
    assert!(found.len() > 5, "the reader of imports finds hardly any: {}", found.len());
    found
}

/// Names that follow a path prefix, groups in braces included.
fn rooms_after(text: &str, prefix: &str) -> Vec<String> {
    text.match_indices(prefix)
        .filter(|(at, _)| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        .flat_map(|(at, _)| {
            let rest = &text[at + prefix.len()..];
            match rest.strip_prefix('{') {
                Some(group) => group[..group.find(';').unwrap_or(group.len())]
                    .split(',')
                    .map(|part| name(part.trim()))
                    .collect(),
                None => vec![name(rest)],
            }
        })
        .collect()
}

/// `super::` leads out of a room only when there are as many as the file is deep.
fn rooms_through_super(file: &Path, text: &str) -> Vec<String> {
    let inside = file.strip_prefix("src").unwrap();
    let is_face = file.ends_with("mod.rs");
    let depth = inside.components().count() - usize::from(is_face);
    if depth == 0 {
        return Vec::new();
    }
    let climb = "super::".repeat(depth);
    rooms_after(text, &climb)
        .into_iter()
        .filter(|name| FLOORS.iter().any(|f| f.contains(&name.as_str())))
        .collect()
}

fn name(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn floor(room: &str) -> usize {
    FLOORS
        .iter()
        .position(|rooms| rooms.contains(&room))
        .unwrap_or_else(|| panic!("{room} stands on no floor"))
}

/// The room of a file: the first folder below `src`, or the file's stem.
fn room(file: &Path) -> String {
    let first = file.strip_prefix("src").unwrap().components().next().unwrap();
    let stem = Path::new(first.as_os_str()).file_stem().unwrap();
    stem.to_string_lossy().into_owned()
}

/// A file without its comments.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

fn sources() -> Vec<PathBuf> {
    rust_files(Path::new("src")).into_iter().filter(|file| !file.ends_with("src/lib.rs")).collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
