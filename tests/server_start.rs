//! Programs that cannot be started: each is named with what to do, by `check` already where that can be seen.

use crate::server_lifecycle::{desk, failures};
use crate::support::desk::Desk;
use crate::support::pico_folder::pico_folder;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A file that could be started, and that nobody starts.
pub(crate) fn write_executable(path: &Path) {
    fs::write(path, "").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A plan whose program is `program`, a file with this content.
fn desk_with(content: &[u8], mode: u32) -> Desk {
    let desk = desk("blocks = 1", "");
    let program = desk.at("fake-server");
    fs::write(&program, content).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
    desk
}

fn told(desk: &Desk) -> String {
    let checked = desk.run(&["check", "plans/desk.toml", "--no-probe"]);
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
    let told = checked.out.lines().find(|line| line.starts_with("it cannot run on this machine: "));
    let told = told.unwrap_or_else(|| panic!("{}", checked.out)).to_owned();
    let ran = desk.run_plan(&["--allow-exec"]);
    assert_eq!(ran.code, 6, "{}", ran.err);
    assert!(ran.err.contains(&told), "{}", ran.err);
    assert!(desk.stores().is_empty());
    told
}

#[test]
fn a_file_that_may_not_be_executed_comes_with_the_command_that_changes_it() {
    let desk = desk_with(b"#!/bin/sh\n", 0o644);
    let told = told(&desk);
    let path = desk.at("fake-server").display().to_string();
    assert!(told.contains(&format!("{path}: this file may not be executed; `chmod +x {path}`")), "{told}");
}

#[test]
fn a_folder_is_no_program() {
    let desk = desk_with(b"", 0o644);
    fs::remove_file(desk.at("fake-server")).unwrap();
    fs::create_dir(desk.at("fake-server")).unwrap();
    let told = told(&desk);
    assert!(told.contains("this is a folder, and not a program; name the program inside it"), "{told}");
}

#[test]
fn a_script_whose_interpreter_is_gone_names_it() {
    for (line, name) in
        [("#!/no/such/python3", "/no/such/python3"), ("#!/usr/bin/env no-such-python", "no-such-python")]
    {
        let told = told(&desk_with(format!("{line}\n").as_bytes(), 0o755));
        assert!(
            told.contains(&format!("this is a script for `{name}`, which is not on this machine")),
            "{told}"
        );
    }
    let told = told(&desk_with(b"#!/bin/sh\r\nexit 0\r\n", 0o755));
    assert!(told.contains("the first line of this script ends as lines do on Windows"), "{told}");
}

/// A plan with two cells, each of which starts a worker.
fn with_worker(model: &str, program: &str) -> Desk {
    Desk::new(&format!(
        r#"[plan]
name = "desk"
question = "Is there a Python?"
[settings]
model = "{model}"
engine = "transformers"
program = "{program}"
thinking = false
warmup = 0
temperature = 0
[grid]
quantization = ["f32", "bf16"]
[[workload]]
name = "timing"
prompt_tokens = 8
gen_tokens = 4
[schedule]
blocks = 2
"#
    ))
}

#[test]
fn a_worker_that_does_not_come_up_twice_in_a_row_is_not_tried_again() {
    let folder = pico_folder();
    let desk = with_worker(&folder.path().display().to_string(), "../fake-python");
    let tries = desk.at("tries");
    write_executable(&desk.at("fake-python"));
    let script = format!("#!/bin/sh\necho once >> '{}'\necho no room >&2\nexit 3\n", tries.display());
    fs::write(desk.at("fake-python"), script).unwrap();
    assert_eq!(desk.run_plan(&["--allow-exec"]).code, 6);
    let failures = failures(&desk.records());
    assert_eq!(failures.len(), 12);
    // Twice for each quantization: one may fit where the other does not.
    assert_eq!(fs::read_to_string(tries).unwrap().lines().count(), 4);
    let (_, last) = failures.iter().find(|(_, error)| error.starts_with("not tried: ")).unwrap();
    assert!(last.contains("the worker for transformers did not come up: it ended with code 3"), "{last}");
    assert!(last.contains("no room"), "{last}");
    let recorded = desk.records().into_iter().find_map(|record| record.context.server);
    assert_eq!(recorded.as_deref(), Some("fake-python with planrun's worker"));
}

#[test]
fn a_program_that_is_started_for_each_request_is_recorded_with_its_command_line() {
    let desk = desk("blocks = 1", "");
    let text = fs::read_to_string(desk.at("plans/desk.toml")).unwrap();
    desk.write_plan(&text.replace("/fake-server", "/llama-completion"));
    write_executable(&desk.at("llama-completion"));
    fs::write(desk.at("llama-completion"), "#!/bin/sh\necho no room >&2\nexit 3\n").unwrap();
    desk.run_plan(&["--allow-exec"]);
    let lines: Vec<String> = desk.records().into_iter().filter_map(|record| record.context.server).collect();
    // Each of the two twice, the discarded run among them; the others were not tried.
    assert_eq!(lines.len(), 3);
    for line in lines {
        assert!(line.starts_with("llama-completion -m pico.gguf -c 256 "), "{line}");
        assert!(line.ends_with(", once for each request"), "{line}");
    }
}

#[test]
fn a_worker_whose_interpreter_is_missing_is_found_by_check() {
    let desk = with_worker("folder", "no-such-python3");
    let told = told(&desk);
    assert!(told.contains("no-such-python3: no such program (it is in no folder of PATH)"), "{told}");
}

/// A header of an ELF file of 64 bits for this machine.
fn elf(machine: u8) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1]);
    bytes[16] = 2;
    bytes[18] = machine;
    bytes
}

#[test]
fn a_program_for_another_machine_is_told_when_it_is_started() {
    // s390: no machine that these tests run on.
    let desk = desk_with(&elf(22), 0o755);
    let ended = desk.run_plan(&["--allow-exec"]);
    assert_eq!(ended.code, 6, "{}", ended.err);
    let (_, error) = &failures(&desk.records())[0];
    let this = std::env::consts::ARCH;
    let told = format!("it was built for s390, and this machine is {this}; get a build for this one");
    assert!(error.contains(&told), "{error}");
}
