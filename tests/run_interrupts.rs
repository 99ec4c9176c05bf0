//! Kills, Ctrl-C, the lock, and orphans.

use crate::support::desk::{Desk, plan, report_files, without_context};
use planrun::record::RunRecord;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const GRID: &str = "quantization = [\"f32\", \"q8_0\", \"q4_0\"]\nthinking = [false, true]";
/// Four timed arms (thinking cannot act on a fixed length), twice in each of 12 blocks, and seven arms once for quality.
const RUNS: usize = 4 * 2 * 12 + 7;

fn long_plan() -> Desk {
    Desk::new(&plan(GRID, "blocks = 12"))
}

/// Kills in the test suite; `PLANRUN_KILLS=30 cargo test --release kill` for the whole trial.
fn kills() -> u32 {
    std::env::var("PLANRUN_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(3)
}

/// Children of a process, by the system's own list.
fn children(parent: u32) -> Vec<i32> {
    let path = format!("/proc/{parent}/task/{parent}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

fn signal(process: &Child, signal: Signal) {
    kill_process(Pid::from_child(process), signal).unwrap();
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(30), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn is_gone(pid: i32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    Pid::from_raw(pid).is_none_or(|pid| test_kill_process(pid).is_err()) || state.contains(") Z ")
}

/// Record files so far; a kill can come before the store has begun.
fn runs_kept(desk: &Desk) -> usize {
    let Some(store) = desk.stores().first().cloned() else { return 0 };
    let Ok(entries) = std::fs::read_dir(store.join("runs")) else { return 0 };
    entries
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().extension() == Some("json".as_ref())))
        .count()
}

fn bare(records: &[RunRecord]) -> Vec<RunRecord> {
    records.iter().map(without_context).collect()
}

#[test]
fn kills_at_any_moment_lose_at_most_the_run_in_flight() {
    let (calm, stormy) = (long_plan(), long_plan());
    assert_eq!(calm.run_plan(&[]).code, 0);
    let mut state = u64::from(std::process::id());
    let mut met = 0;
    for round in 0..kills() {
        let mut process = stormy.command(&["run", "plans/desk.toml"]).spawn().unwrap();
        // The kills spread over the plan whatever the machine's speed, and hit a run at any moment of it. The first comes
        // within the burn-in, before there are any records.
        let far_enough = RUNS * round as usize / kills() as usize;
        wait_until("enough runs are kept", || runs_kept(&stormy) >= far_enough);
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis((state >> 33) % 30));
        let orphans = children(process.id());
        signal(&process, Signal::KILL);
        process.wait().unwrap();
        wait_until("the orphan ended", || orphans.iter().all(|&pid| is_gone(pid)));
        let kept = runs_kept(&stormy);
        println!("kill {round}: {kept} of {RUNS} runs kept");
        met += u32::from(kept > 0 && kept < RUNS);
    }
    assert!(met > 0, "no kill met a plan with some of its runs made");
    let ended = stormy.run_plan(&[]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(stormy.records().len(), RUNS);
    assert_eq!(bare(&stormy.records()), bare(&calm.records()));
    assert_eq!(report_files(&stormy.store()), report_files(&calm.store()));
    assert_eq!(stormy.stores().len(), 1);
}

#[test]
fn a_store_that_was_killed_before_it_began_is_begun_anew() {
    let desk = Desk::new(&plan("quantization = [\"f32\", \"q8_0\"]", "blocks = 1"));
    assert_eq!(desk.run_plan(&[]).code, 0);
    let made = desk.records();
    let store = desk.store();
    std::fs::remove_dir_all(&store).unwrap();
    std::fs::create_dir_all(store.join("runs")).unwrap();
    let status = desk.run(&["status", "plans/desk.toml"]);
    assert!(status.out.contains("no runs yet"), "{}{}", status.out, status.err);
    assert_eq!(desk.run_plan(&[]).code, 0);
    assert_eq!(desk.stores(), [store]);
    assert_eq!(bare(&desk.records()), bare(&made));
}

#[test]
fn ctrl_c_stops_cleanly_and_prints_the_line_to_go_on_with() {
    let desk = Desk::new(&plan(r#"model = ["scripted", "scripted:slow"]"#, "blocks = 1"));
    let process = desk.command(&["run", "plans/desk.toml", "--fresh", "--publish"]).spawn().unwrap();
    let id = process.id();
    wait_until("two runs were made and one hangs", || {
        !children(id).is_empty() && desk.stores().first().is_some_and(|_| !desk.records().is_empty())
    });
    let running = children(id);
    signal(&process, Signal::INT);
    let output = process.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(5), "{out}");
    assert!(out.contains("stopped; go on with\n"), "{out}");
    // Without `--fresh`, which would begin another store.
    assert!(out.contains("planrun run plans/desk.toml --publish"), "{out}");
    assert!(running.iter().all(|&pid| is_gone(pid)), "the run in flight was ended");
}

#[test]
fn a_second_planrun_is_refused_and_told_who_measures() {
    let desk = Desk::new(&plan(r#"model = ["scripted:slow", "scripted"]"#, "blocks = 1"));
    let mut process = desk.command(&["run", "plans/desk.toml"]).spawn().unwrap();
    wait_until("the first one measures", || !children(process.id()).is_empty());
    let refused = desk.run_plan(&[]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains(&format!("pid {}", process.id())), "{}", refused.err);
    assert!(refused.err.contains("plan desk"), "{}", refused.err);
    signal(&process, Signal::TERM);
    assert_eq!(process.wait().unwrap().code(), Some(5));
}

#[test]
fn a_run_ends_when_its_parent_is_gone() {
    let desk = Desk::new(&plan(r#"model = ["scripted:slow", "scripted"]"#, "blocks = 1"));
    let mut process = desk.command(&["run", "plans/desk.toml"]).spawn().unwrap();
    wait_until("a run hangs", || !children(process.id()).is_empty());
    let orphans = children(process.id());
    signal(&process, Signal::KILL);
    process.wait().unwrap();
    wait_until("the orphan ended", || orphans.iter().all(|&pid| is_gone(pid)));
}

#[test]
fn exec_refuses_what_is_no_request() {
    let desk = Desk::new(&plan("quantization = [\"q8_0\", \"q4_0\"]", "blocks = 1"));
    let mut process = desk.command(&["exec"]).stdin(Stdio::piped()).spawn().unwrap();
    process.stdin.take().unwrap().write_all(b"{}\n").unwrap();
    let mut line = String::new();
    BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(process.wait().unwrap().code(), Some(1));
    assert!(line.contains("not by hand"), "{line}");
}
