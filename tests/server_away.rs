//! Servers that a plan attaches to, and that are away: before the first run, and in the middle of the plan.

use crate::server_fake::pids;
use crate::server_lifecycle::{attach, desk, failures, signal, wait_until};
use crate::support::desk::Desk;
use planrun::record::FailureKind;
use rustix::process::Signal;
use std::process::{Child, Command};

fn free_port() -> String {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string()
}

fn started(desk: &Desk, port: &str, mishap: &[&str]) -> Child {
    let model = desk.at("plans/pico.gguf").display().to_string();
    let mut command = Command::new(desk.at("fake-server"));
    let server = command.args(["--port", port, "-m", &model, "-c", "512"]).args(mishap).spawn().unwrap();
    wait_until("it listens", || std::net::TcpStream::connect(format!("127.0.0.1:{port}")).is_ok());
    server
}

#[test]
fn one_that_never_answered_stops_the_plan_before_its_first_run() {
    let desk = desk("blocks = 1\nisolation = \"attached\"", "");
    let url = format!("http://127.0.0.1:{}", free_port());
    attach(&desk, &url);
    let ended = desk.run_plan(&[]);
    assert_eq!(ended.code, 6, "{}", ended.err);
    for told in
        [format!("waiting for {url} to answer"), format!("{url} did not answer within 5 s (GET /health: ")]
    {
        assert!(ended.err.contains(&told), "{}", ended.err);
    }
    assert!(ended.err.contains("start that server, or correct `url`; no run was made"), "{}", ended.err);
    assert!(desk.records().is_empty());
}

#[test]
fn one_that_is_restarted_in_mid_plan_is_waited_for() {
    let desk = desk("blocks = 1\nisolation = \"attached\"", "");
    let port = free_port();
    let mark = desk.at("mark");
    std::fs::write(&mark, "2").unwrap();
    let mut first = started(&desk, &port, &["--mishap", &format!("dies={}", mark.display())]);
    attach(&desk, &format!("http://127.0.0.1:{port}"));
    let running = desk.command(&["run", "plans/desk.toml"]).spawn().unwrap();
    first.wait().unwrap();
    // Long enough for the next runs to find nobody.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let mut second = started(&desk, &port, &[]);
    let output = running.wait_with_output().unwrap();
    let last = *pids(&desk.at("")).last().unwrap();
    signal(last, Signal::KILL);
    second.wait().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(5), "{err}");
    let records = desk.records();
    let failures = failures(&records);
    assert_eq!((records.len(), failures.len()), (6, 1), "{failures:?}");
    assert_eq!(failures[0].0, FailureKind::Engine);
    assert!(err.contains(&format!("waiting for http://127.0.0.1:{port} to answer")), "{err}");
}
