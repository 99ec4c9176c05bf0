//! Servers that planrun starts: one for each run or block, waited for, told of when they fail, and never left behind.

use crate::engine_gguf::pico_as_gguf;
use crate::server_fake::{pids, write_program};
use crate::support::desk::Desk;
use planrun::condition::{Isolation, Stated};
use planrun::record::{FailureKind, Outcome, RunRecord};
use rustix::process::{Pid, Signal, kill_process};
use std::process::Child;
use std::time::{Duration, Instant};

/// Two cells; four timed runs of two cells and their control make six in each block.
pub(crate) fn desk(schedule: &str, mishap: &str) -> Desk {
    let desk = Desk::new("");
    let program = write_program(&desk.at(""));
    std::fs::write(desk.at("plans/pico.gguf"), pico_as_gguf().bytes()).unwrap();
    let mishap = mishap.replace("MARK", &desk.at("mark").display().to_string());
    let arguments = if mishap.is_empty() { "[]".to_owned() } else { format!("[\"--mishap\", \"{mishap}\"]") };
    desk.write_plan(&format!(
        r#"[plan]
name = "desk"
question = "Does it end?"
[settings]
model = "pico.gguf"
engine = "llama_cpp"
program = "{}"
arguments = {arguments}
thinking = false
warmup = 0
temperature = 0
context_length = 256
[grid]
kv_cache_dtype = ["f16", "q8_0"]
[[workload]]
name = "timing"
prompt_tokens = 8
gen_tokens = 4
[schedule]
{schedule}
"#,
        program.display()
    ));
    desk
}

fn is_gone(pid: i32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    state.is_empty() || state.contains(") Z ")
}

pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(30), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub(crate) fn nothing_is_left(desk: &Desk) {
    let started = pids(&desk.at(""));
    assert!(!started.is_empty(), "no server was started");
    wait_until("every server is gone", || started.iter().all(|pid| is_gone(*pid)));
}

pub(crate) fn failures(records: &[RunRecord]) -> Vec<(FailureKind, String)> {
    let failure = |record: &RunRecord| match &record.outcome {
        Outcome::Done => None,
        Outcome::Failed { kind, error } => Some((*kind, error.clone())),
    };
    records.iter().filter_map(failure).collect()
}

fn parent_of(pid: i32) -> i32 {
    field_of(pid, 1).parse().unwrap()
}

/// A field of proc(5)'s `stat` behind the name: the state is 0, the parent 1.
fn field_of(pid: i32, field: usize) -> String {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    text.rsplit(") ").next().unwrap().split(' ').nth(field).unwrap().to_owned()
}

pub(crate) fn signal(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// A planrun whose first run waits for a server that froze.
fn with_a_frozen_server(desk: &Desk) -> (Child, i32) {
    let process = desk.command(&["run", "plans/desk.toml", "--allow-exec"]).spawn().unwrap();
    wait_until("the server froze", || desk.at("mark").exists());
    (process, pids(&desk.at(""))[0])
}

#[test]
fn every_run_has_a_server_of_its_own_that_ends_with_it() {
    let desk = desk("blocks = 1", "");
    let ended = desk.run_plan(&["--allow-exec"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let records = desk.records();
    assert_eq!((records.len(), failures(&records)), (6, vec![]));
    // One more for the discarded run.
    assert_eq!(pids(&desk.at("")).len(), 7);
    nothing_is_left(&desk);
    for record in &records {
        let command = record.context.server.as_deref().unwrap();
        assert!(command.starts_with("fake-server --host 127.0.0.1 --port "), "{command}");
        assert!(command.contains(" -m pico.gguf -c 256 -t 1 -tb 1 -b 512 -ub 512 "), "{command}");
        let runtime = record.condition.found.runtime.get().unwrap();
        assert_eq!((runtime.name.as_str(), runtime.version.as_str()), ("llama.cpp", "b1-fake"));
        assert_eq!(runtime.binary.as_ref().unwrap().len(), 64);
        assert!(record.measurement["load_s"].value.unwrap() > 0.0);
        let item = &record.items[0];
        assert_eq!((item.reply_tokens, item.cached_tokens), (Some(4), Some(0)));
        assert_eq!((item.prefill_s, item.steps, item.compute_s), (Some(0.00002), Some(3), Some(0.003)));
    }
    let log = std::fs::read_to_string(desk.store().join("server.log")).unwrap();
    assert!(log.starts_with("$ /"), "{log}");
}

/// Adds `url` to the plan of a desk and takes out what a server is started with.
pub(crate) fn attach(desk: &Desk, url: &str) {
    let text = std::fs::read_to_string(desk.at("plans/desk.toml")).unwrap();
    let started =
        |line: &str| ["program", "arguments", "context_length"].iter().any(|key| line.starts_with(key));
    let kept: Vec<&str> = text.lines().filter(|line| !started(line)).collect();
    let text = kept.join("\n").replace("[grid]", &format!("url = \"{url}\"\nseed = 1\n[grid]"));
    let text = text.replace("temperature = 0", "temperature = 1");
    desk.write_plan(&text.replace(r#"kv_cache_dtype = ["f16", "q8_0"]"#, "top_k = [1, 2]"));
}

#[test]
fn a_server_that_runs_already_is_asked_and_left_running() {
    let desk = desk("blocks = 1\nisolation = \"attached\"", "");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let model = desk.at("plans/pico.gguf").display().to_string();
    let mut server = std::process::Command::new(desk.at("fake-server"))
        .args(["--port", &port, "-m", &model, "-c", "512"])
        .spawn()
        .unwrap();
    wait_until("it listens", || std::net::TcpStream::connect(format!("127.0.0.1:{port}")).is_ok());
    attach(&desk, &format!("http://127.0.0.1:{port}"));
    let ended = desk.run_plan(&[]);
    let records = desk.records();
    let text = std::fs::read_to_string(desk.at("plans/desk.toml")).unwrap();
    desk.write_plan(&text.replace("[grid]", "threads = 2\n[grid]"));
    let refused = desk.run_plan(&[]);
    let answers = pids(&desk.at(""));
    signal(answers[0], Signal::KILL);
    server.wait().unwrap();
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert_eq!((records.len(), answers.len()), (6, 1));
    for record in &records {
        let found = &record.condition.found;
        assert_eq!(found.isolation, Stated::Set(Isolation::Attached));
        assert_eq!((found.context_length, found.threads), (Stated::Set(512), Stated::Unknown));
        assert_eq!(found.runtime.get().unwrap().binary, None);
        assert_eq!(record.context.server, None);
        assert_eq!(record.measurement["load_s"].value, None, "it was loaded at another time");
        assert_eq!(record.measurement["peak_rss"].value, None, "planrun's own memory is not the server's");
    }
    assert!(refused.err.contains("was started by somebody else"), "{}", refused.err);
}

#[test]
fn a_block_shares_a_server_for_each_setting() {
    let desk = desk("blocks = 2\nisolation = \"block\"", "");
    let ended = desk.run_plan(&["--allow-exec"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    // The discarded run is one of the first block.
    assert_eq!(pids(&desk.at("")).len(), 4);
    nothing_is_left(&desk);
    let records = desk.records();
    let loaded = records.iter().filter(|record| record.measurement["load_s"].value.is_some()).count();
    assert!((3..=4).contains(&loaded), "only the first run of a server loads it: {loaded}");
    for record in &records {
        let command = record.context.server.as_deref().unwrap();
        assert!(!command.contains("--port 0 "), "{command}");
    }
}

#[test]
fn a_server_that_dies_at_its_start_is_an_engine_that_is_not_there() {
    let desk = desk("blocks = 1", "dies-at-once");
    let ended = desk.run_plan(&["--allow-exec"]);
    assert_eq!(ended.code, 6, "{}", ended.err);
    let failures = failures(&desk.records());
    assert_eq!(failures.len(), 6);
    let (kind, error) = &failures[0];
    assert_eq!(*kind, FailureKind::EngineUnavailable);
    assert!(
        error.starts_with("fake-server ended with code 3 before it was ready; the end of its log"),
        "{error}"
    );
    assert!(error.contains("no room for the model"), "{error}");
    // Each of the two command lines twice; the discarded run counts.
    assert_eq!(pids(&desk.at("")).len(), 4);
    let untried: Vec<_> = failures.iter().filter(|(_, error)| error.starts_with("not tried: ")).collect();
    assert_eq!(untried.len(), 3, "{failures:?}");
    assert!(untried[0].1.contains("the last time so: fake-server ended with code 3"), "{}", untried[0].1);
}

#[test]
fn a_server_that_is_not_tried_again_leaves_the_others_of_its_block_alone() {
    let desk = desk("blocks = 4\nisolation = \"block\"", "dies-with=q8_0");
    assert_eq!(desk.run_plan(&["--allow-exec"]).code, 6);
    let records = desk.records();
    // Both tries fall into the first block.
    let later = records.iter().filter(|record| record.outcome == Outcome::Done && record.slot.block > 0);
    let loaded = later.filter(|record| record.measurement["load_s"].value.is_some()).count();
    assert_eq!(loaded, 3, "one for each block");
    assert_eq!(failures(&records).len(), 4 * 2);
}

#[test]
fn a_server_that_is_not_ready_in_time_is_ended() {
    let desk = desk("blocks = 1\ntimeout_s = 1", "never-ready");
    assert_eq!(desk.run_plan(&["--allow-exec"]).code, 6);
    let (kind, error) = &failures(&desk.records())[0];
    assert_eq!(*kind, FailureKind::EngineUnavailable);
    let wait =
        "fake-server did not become ready within 1 s, the plan's `timeout_s`: GET /health still says 503";
    assert!(error.starts_with(wait), "{error}");
    assert_eq!(pids(&desk.at("")).len(), 4, "a command line that fails twice in a row is not tried again");
    nothing_is_left(&desk);
}

#[test]
fn a_server_that_dies_in_mid_run_fails_that_run_and_the_others_get_a_new_one() {
    for isolation in ["run", "block"] {
        let desk = desk(&format!("blocks = 1\nisolation = \"{isolation}\""), "dies=MARK");
        // After the discarded run and the first.
        std::fs::write(desk.at("mark"), "2").unwrap();
        let ended = desk.run_plan(&["--allow-exec"]);
        assert_eq!(ended.code, 5, "{}", ended.err);
        let records = desk.records();
        let failures = failures(&records);
        assert_eq!((records.len(), failures.len()), (6, 1));
        assert_eq!(failures[0].0, FailureKind::Engine);
        let error = &failures[0].1;
        assert!(
            error.starts_with("fake-server ended with code 3 during this run; the end of its log"),
            "{error}"
        );
        let (_, seen) = error.split_once("\nwhat its reader saw: ").unwrap();
        assert!(seen.contains("the connection was cut"), "{seen}");
        nothing_is_left(&desk);
    }
}

#[test]
fn a_server_of_a_block_that_dies_is_quoted_from_its_own_log() {
    let desk = desk("blocks = 1\nisolation = \"block\"", "dies=MARK");
    // In the last run: the servers of both cells run by then.
    std::fs::write(desk.at("mark"), "6").unwrap();
    assert_eq!(desk.run_plan(&["--allow-exec"]).code, 5);
    let records = desk.records();
    let failed: Vec<&RunRecord> = records.iter().filter(|record| record.outcome != Outcome::Done).collect();
    let [record] = failed[..] else { panic!("{} failed", failed.len()) };
    let (_, error) = &failures(&records)[0];
    let cache = record.condition.asked.kv_cache_dtype.get().unwrap();
    assert!(error.contains(&format!("the one with {cache} gives up")), "{error}");
    for name in ["server.log", "server-2.log"] {
        let log = std::fs::read_to_string(desk.store().join(name)).unwrap();
        let named = error.contains(&format!("the end of its log, {name}:"));
        assert!(log.starts_with("$ /"), "{name}: {log}");
        assert_eq!(log.contains(" gives up"), named, "{name}: {log}");
        assert_eq!(log.contains(&format!(" -ctk {cache} ")), named, "{name}: {log}");
    }
}

#[test]
fn a_death_is_told_though_a_descendant_holds_the_servers_pipe() {
    let desk = desk("blocks = 1", "dies-heard-on=MARK");
    std::fs::write(desk.at("mark"), "2").unwrap();
    assert_eq!(desk.run_plan(&["--allow-exec"]).code, 5);
    let failures = failures(&desk.records());
    assert_eq!(failures.len(), 1);
    let error = &failures[0].1;
    assert!(error.starts_with("fake-server ended with code 3 during this run; "), "{error}");
}

#[test]
fn a_frozen_server_ends_at_the_time_limit_and_the_others_get_a_new_one() {
    let desk = desk("blocks = 1\ntimeout_s = 4", "freezes=MARK");
    std::fs::write(desk.at("mark"), "2").unwrap();
    let ended = desk.run_plan(&["--allow-exec"]);
    assert_eq!(ended.code, 5, "{}", ended.err);
    let failures = failures(&desk.records());
    assert_eq!((failures.len(), failures[0].0), (1, FailureKind::Timeout));
    let error = &failures[0].1;
    assert!(error.starts_with("no end within 4 s, the plan's `timeout_s`: http://127.0.0.1:"), "{error}");
    assert!(error.contains(" (no byte of the reply to POST /completion for "), "{error}");
    assert!(error.contains("the end of its log, server.log:"), "{error}");
    nothing_is_left(&desk);
}

#[test]
fn no_server_outlives_a_planrun_that_is_killed() {
    let desk = desk("blocks = 1", "freezes=MARK");
    let (mut process, server) = with_a_frozen_server(&desk);
    process.kill().unwrap();
    process.wait().unwrap();
    wait_until("the server is gone", || is_gone(server));
}

#[test]
fn ctrl_c_ends_the_server() {
    let desk = desk("blocks = 1", "freezes=MARK");
    let (mut process, server) = with_a_frozen_server(&desk);
    signal(process.id().cast_signed(), Signal::INT);
    assert_eq!(process.wait().unwrap().code(), Some(5));
    assert!(is_gone(server));
}

#[test]
fn a_server_that_lost_planrun_and_its_guard_is_ended_at_the_next_start() {
    let desk = desk("blocks = 1", "hangs=MARK");
    let (mut process, server) = with_a_frozen_server(&desk);
    let guard = parent_of(parent_of(server));
    // It does not stand still, because the kernel ends those when they have lost their parents. Planrun must not see that the guard is gone, nor the guard that planrun is.
    let planrun = process.id().cast_signed();
    signal(planrun, Signal::STOP);
    wait_until("planrun stands still", || field_of(planrun, 0) == "T");
    signal(guard, Signal::KILL);
    wait_until("the guard is gone", || is_gone(guard) || field_of(guard, 0) == "Z");
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(!is_gone(server), "nobody was left to end it");
    let ended = desk.run_plan(&["--allow-exec"]);
    assert!(ended.err.contains("a server of an earlier session still ran (pid"), "{}", ended.err);
    assert_eq!(ended.code, 0, "{}", ended.err);
    nothing_is_left(&desk);
}
